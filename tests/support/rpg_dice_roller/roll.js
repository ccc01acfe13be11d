// Rolls the expressions of a JSON list from stdin with rpg-dice-roller. Writes a line for each that it takes, as JSON:
// the expression, the total, and for each kind of dice the numbers that they showed, in the order rolled.
'use strict';
const fs = require('fs');
const { Dice, DiceRoll, NumberGenerator } = require('@dice-roller/rpg-dice-roller');

const hands = [];
const { roll } = Dice.StandardDice.prototype;
Dice.StandardDice.prototype.roll = function rollAll() {
  hands.push([]);
  return roll.call(this);
};
for (const { prototype } of [Dice.StandardDice, Dice.FudgeDice]) {
  const { rollOnce } = prototype;
  prototype.rollOnce = function rollOne() {
    const result = rollOnce.call(this);
    hands.at(-1).push(result.initialValue);
    return result;
  };
}

NumberGenerator.generator.engine = NumberGenerator.engines.MersenneTwister19937.seed(1);
for (const text of JSON.parse(fs.readFileSync(0))) {
  hands.length = 0;
  let total;
  try {
    total = new DiceRoll(text).total;
  } catch (error) {
    continue; // it does not take this expression
  }
  console.log(JSON.stringify([text, total, hands]));
}
