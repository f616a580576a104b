// Search in pages that are opened as files: browsers start no worker from a file, so what would be
// one runs in a hidden frame of the page.
if (location.protocol === "file:") {
  self.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.srcdoc = `<script>postMessage = data => frameElement.tell(data)</script><script src="${url}"></script>`
      frame.tell = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.started = new Promise(started => { frame.onload = () => started(frame.contentWindow) })
      const add = () => document.body.append(frame)
      if (document.body) add()
      else addEventListener("DOMContentLoaded", add)
    }
    postMessage(data) {
      this.started.then(at => at.dispatchEvent(new at.MessageEvent("message", { data })))
    }
  }
}
