// A browser starts no worker from a file: page. There the search runs in a hidden frame instead, with a worker's interface.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.waiting = [];
      const page = frame.contentDocument;
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = page.createElement("script");
      script.src = new URL(url, location.href).href;
      script.onload = () => {
        const messages = this.waiting;
        this.waiting = null;
        messages.forEach(data => this.postMessage(data));
      };
      script.onerror = () => this.dispatchEvent(new Event("error"));
      page.body.append(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
