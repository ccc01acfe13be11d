"""The name of a device in plain words, from the header `User-Agent` of its browser."""

from __future__ import annotations

DEVICE_KINDS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android tablet"),
    ("CrOS", "Chromebook"),
    ("Windows", "Windows computer"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux computer"),
)
"""Words in a `User-Agent`, each with its device. The first that fits is used: Android's headers also have "Linux"."""

BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Words in a `User-Agent`, each with its browser. The first that fits is used: most headers also have "Safari"."""


def device_name(user_agent: str) -> str:
    """Return the device and the browser, such as "Android phone, Chrome". Return "" if the header names neither."""
    device = next((name for word, name in DEVICE_KINDS if word in user_agent), "")
    if device == "Android tablet" and "Mobile" in user_agent:
        device = "Android phone"
    browser = next((name for word, name in BROWSERS if word in user_agent), "")
    return ", ".join(filter(None, (device, browser)))
