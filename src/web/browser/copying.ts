import { around } from './present.ts'

const shownMs = 2000

/** Copies in pages without TLS too, where browsers have no clipboard interface. */
async function copy(text: string): Promise<boolean> {
  if (isSecureContext) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
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

function textFor(button: HTMLElement): string | undefined {
  const { copy: text, copyFrom } = button.dataset
  if (text !== undefined) return text
  const source = copyFrom === undefined ? null : document.querySelector(copyFrom)
  if (source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement) return source.value
  return source?.textContent ?? undefined
}

document.addEventListener('click', (event) => {
  const button = around(event, '[data-copy], [data-copy-from]')
  const text = button ? textFor(button) : undefined
  if (!button || text === undefined) return
  event.preventDefault()
  void copy(text).then((isCopied) => {
    button.dataset['copied'] = isCopied ? 'yes' : 'no'
    setTimeout(() => delete button.dataset['copied'], shownMs)
  })
})
