import '@github/markdown-toolbar-element'
import '@github/file-attachment-element'
import { subscribe } from '@github/paste-markdown'
import '@github/text-expander-element'
import { continueDraft } from './drafts.ts'
import type { TextExpanderChangeEvent, TextExpanderResult } from '@github/text-expander-element'

type Disconnect = () => void

/** Makes a field or a part around it help with Markdown. Returns the function that ends it. */
export function connectWriting(element: HTMLElement): Disconnect | void {
  if (element.matches('text-expander')) return suggestIn(element)
  if (element.matches('file-attachment')) return uploadFrom(element)
  if (element instanceof HTMLTextAreaElement) {
    continueDraft(element)
    return subscribe(element).unsubscribe
  }
  if (element.matches('[data-replies-url]')) return offerReplies(element)
  if (element.matches('[data-preview-url]')) return switchPanels(element)
}

/** Completion: the events of the element do not bubble. */
function suggestIn(expander: HTMLElement): Disconnect {
  const onChange = (event: Event) => {
    const { detail } = event as TextExpanderChangeEvent
    detail?.provide(suggestions(expander.dataset['url'] ?? '', detail.key, detail.text))
  }
  const onValue = (event: Event) => {
    const { detail } = event as CustomEvent<{ item: HTMLElement; value: string | null }>
    detail.value = detail.item.dataset['value'] ?? null
  }
  expander.addEventListener('text-expander-change', onChange)
  expander.addEventListener('text-expander-value', onValue)
  return () => {
    expander.removeEventListener('text-expander-change', onChange)
    expander.removeEventListener('text-expander-value', onValue)
  }
}

async function suggestions(address: string, key: string, text: string): Promise<TextExpanderResult> {
  const url = new URL(address, location.href)
  url.searchParams.set('key', key)
  url.searchParams.set('q', text)
  const reply = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => undefined)
  // Without an answer, a person goes on typing.
  if (!reply?.ok) return { matched: false }
  const holder = document.createElement('template')
  holder.innerHTML = await reply.text()
  const list = holder.content.firstElementChild
  if (!(list instanceof HTMLElement) || !list.querySelector('[role=option]')) return { matched: false }
  return { matched: true, fragment: list }
}

/** The value that protects the form around an element against cross-site request forgery. */
const csrfOf = (element: HTMLElement): string =>
  element.closest('form')?.querySelector<HTMLInputElement>('input[name=_csrf]')?.value ?? ''

/** Puts text at the cursor. */
function insert(field: HTMLTextAreaElement, text: string): void {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

function replace(field: HTMLTextAreaElement, text: string, by: string): void {
  const start = field.value.indexOf(text)
  if (start < 0) return
  field.setRangeText(by, start, start + text.length, 'preserve')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

function uploadFrom(holder: HTMLElement): Disconnect {
  const onAccepted = (event: Event) => {
    const { attachments } = (event as CustomEvent<{ attachments: readonly { file: File }[] }>).detail
    const field = holder.querySelector('textarea')
    if (!field) return
    void (async () => {
      for (const { file } of attachments) await upload(holder, field, file)
    })()
  }
  holder.addEventListener('file-attachment-accepted', onAccepted)
  return () => holder.removeEventListener('file-attachment-accepted', onAccepted)
}

/** Sends a file and puts the Markdown that the server answers where the cursor was. */
async function upload(holder: HTMLElement, field: HTMLTextAreaElement, file: File): Promise<void> {
  const message = holder.querySelector<HTMLElement>('[data-upload-message]')
  const placeholder = `![${file.name}…]()`
  if (message) message.textContent = ''
  insert(field, `${placeholder}\n`)
  holder.setAttribute('aria-busy', 'true')
  const body = new FormData()
  body.append('_csrf', csrfOf(holder))
  body.append(holder.dataset['field'] ?? 'attachment', file, file.name)
  try {
    const reply = await fetch(holder.dataset['uploadUrl'] ?? '', {
      method: 'POST',
      body,
      headers: { accept: 'text/plain' },
    })
    const text = (await reply.text()).trim()
    replace(field, reply.ok ? placeholder : `${placeholder}\n`, reply.ok ? text : '')
    if (!reply.ok && message) message.textContent = `${file.name}: ${text}`
  } catch (error) {
    replace(field, `${placeholder}\n`, '')
    if (message) message.textContent = `${file.name}: ${String(error)}`
  } finally {
    holder.removeAttribute('aria-busy')
  }
}

function switchPanels(composer: HTMLElement): Disconnect {
  const tabs = [...composer.querySelectorAll<HTMLElement>('[data-tab]')]
  const panelOf = (name: string) => composer.querySelector<HTMLElement>(`[data-panel="${name}"]`)
  /** Where the text was when it was left; the other views have other heights. */
  let leftAt: number | undefined
  const select = (tab: HTMLElement) => {
    const name = tab.dataset['tab'] ?? ''
    if (name !== 'write' && panelOf('write')?.hidden === false) leftAt = scrollY
    for (const each of tabs) {
      const isSelected = each === tab
      each.setAttribute('aria-selected', String(isSelected))
      each.tabIndex = isSelected ? 0 : -1
      const panel = panelOf(each.dataset['tab'] ?? '')
      if (panel) panel.hidden = !isSelected
    }
    const panel = panelOf(name)
    if (name === 'preview' && panel) void showPreview(composer, panel)
    if (name === 'changes' && panel) void showChanges(composer, panel)
    if (name !== 'write') return
    const code = composer.querySelector('.code-editor')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')
    const field = code ?? composer.querySelector('textarea')
    field?.focus({ preventScroll: true })
    if (leftAt !== undefined) scrollTo({ top: leftAt })
  }
  const onClick = (event: Event) => {
    const tab = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tab]') : null
    if (tab) select(tab)
  }
  const onKey = (event: KeyboardEvent) => {
    const current = tabs.indexOf(event.target as HTMLElement)
    if (current < 0 || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return
    const next = tabs.at((current + (event.key === 'ArrowRight' ? 1 : -1)) % tabs.length)
    if (next) select(next)
    next?.focus()
  }
  composer.addEventListener('click', onClick)
  composer.addEventListener('keydown', onKey)
  return () => {
    composer.removeEventListener('click', onClick)
    composer.removeEventListener('keydown', onKey)
  }
}

/** Shows what of the text would change. */
async function showChanges(composer: HTMLElement, panel: HTMLElement): Promise<void> {
  const field = composer.querySelector('textarea')
  const { base } = panel.dataset
  const before = base === undefined ? field?.defaultValue : document.querySelector(base)?.textContent
  const { showDifference } = await import('./difference.ts')
  showDifference(panel, before ?? '', field?.value ?? '')
}

async function showPreview(composer: HTMLElement, panel: HTMLElement): Promise<void> {
  panel.setAttribute('aria-busy', 'true')
  const nameField = document.querySelector<HTMLInputElement>(composer.dataset['nameFrom'] ?? '#no-name-field')
  try {
    const reply = await fetch(composer.dataset['previewUrl'] ?? '', {
      method: 'POST',
      body: new URLSearchParams({
        _csrf: csrfOf(composer),
        text: composer.querySelector('textarea')?.value ?? '',
        ...(nameField ? { name: nameField.value } : {}),
      }),
      headers: { accept: 'text/html' },
    })
    const text = await reply.text()
    if (reply.ok) panel.innerHTML = text
    else panel.textContent = `${reply.status} ${reply.statusText}`
  } catch (error) {
    panel.textContent = String(error)
  } finally {
    panel.removeAttribute('aria-busy')
  }
}

/** A menu of saved replies: loaded when it opens first, and put into the field as a paragraph of its own. */
function offerReplies(menu: HTMLElement): Disconnect {
  const list = menu.querySelector('ul')
  const load = async () => {
    if (!(menu instanceof HTMLDetailsElement) || !menu.open || !list || list.childElementCount > 0) return
    const reply = await fetch(menu.dataset['repliesUrl'] ?? '', { headers: { accept: 'text/html' } }).catch(
      () => undefined,
    )
    if (reply?.ok && !reply.redirected) list.innerHTML = await reply.text()
    else list.textContent = menu.dataset['problem'] ?? ''
  }
  const onToggle = () => void load()
  const onClick = ({ target }: Event) => {
    const text = target instanceof Element ? target.closest<HTMLElement>('[data-reply]')?.dataset['reply'] : undefined
    const field = document.getElementById(menu.dataset['repliesFor'] ?? '')
    if (text === undefined || !(field instanceof HTMLTextAreaElement)) return
    if (menu instanceof HTMLDetailsElement) menu.open = false
    const before = field.value.slice(0, field.selectionStart)
    insert(field, `${before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'}${text}`)
    field.focus()
  }
  menu.addEventListener('toggle', onToggle)
  menu.addEventListener('click', onClick)
  // It may have been opened while the script was loaded.
  void load()
  return () => {
    menu.removeEventListener('toggle', onToggle)
    menu.removeEventListener('click', onClick)
  }
}
