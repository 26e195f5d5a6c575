import { around } from './present.ts'

const shownMs = 2000

/** Copies a text, perhaps one that is still read, in pages without TLS too, where browsers have no clipboard interface. */
async function copy(found: Promise<string>): Promise<boolean> {
  if (isSecureContext) {
    // Some browsers allow it only at once after the click: they wait for the text.
    return navigator.clipboard.write([new ClipboardItem({ 'text/plain': found })]).then(
      () => true,
      () => false,
    )
  }
  const text = await found.catch(() => undefined)
  if (text === undefined) return false
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  const before = document.activeElement
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}

async function textAt(url: string): Promise<string> {
  const reply = await fetch(url)
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}`)
  return reply.text()
}

async function textFor({ dataset: { copy: text, copyFrom = '', copyUrl } }: HTMLElement): Promise<string> {
  if (text !== undefined) return text
  if (copyUrl !== undefined) return textAt(copyUrl)
  const source = document.querySelector(copyFrom)
  if (source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement) return source.value
  return source?.textContent ?? ''
}

document.addEventListener('click', (event) => {
  const button = around(event, '[data-copy], [data-copy-from], [data-copy-url]')
  if (!button) return
  event.preventDefault()
  void copy(textFor(button)).then((isCopied) => {
    button.dataset['copied'] = isCopied ? 'yes' : 'no'
    setTimeout(() => delete button.dataset['copied'], shownMs)
  })
})
