// Browsers start no worker for a page that is a local file. There, the site's search runs in a hidden frame instead.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { hidden: true }));
      this.scope = this.frame.contentWindow;
      this.scope.document.open();
      this.scope.document.write("<body></body>");
      this.scope.document.close();
      this.scope.postMessage = (data) => {
        const answer = new MessageEvent("message", { data: structuredClone(data) });
        setTimeout(() => {
          this.onmessage?.(answer);
          this.dispatchEvent(answer);
        });
      };
      const script = Object.assign(this.scope.document.createElement("script"), { src: url });
      this.loaded = new Promise((done) => script.addEventListener("load", done));
      this.scope.document.body.append(script);
    }

    postMessage(data) {
      this.loaded.then(() => this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data: this.scope.structuredClone(data) })));
    }

    terminate() {
      this.frame.remove();
    }
  };
