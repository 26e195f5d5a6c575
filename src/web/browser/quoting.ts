import { around } from './present.ts'

const frames = '.comment-frame'

/** The selected part of a text when a menu took the focus, which may end the selection. */
let selected: Range | undefined

const selectedRange = (): Range | undefined => {
  const selection = getSelection()
  return selection && !selection.isCollapsed ? selection.getRangeAt(0).cloneRange() : undefined
}

document.addEventListener(
  'pointerdown',
  (event) => {
    if (around(event, '.comment-menu')) selected = selectedRange() ?? selected
    else selected = undefined
  },
  true,
)

/** The comment around a node. */
const commentOf = (node: Node | null | undefined): HTMLElement | null =>
  (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>(frames) ?? null

/** The field of an answer to a comment: that of its conversation about lines, or that of the page. */
function answerField(comment: HTMLElement): HTMLTextAreaElement | null {
  const thread = comment.closest('.thread')
  if (!thread) return document.querySelector('.comment-form textarea')
  const reply = thread.querySelector<HTMLDetailsElement>('.thread-reply')
  if (reply) reply.open = true
  return reply?.querySelector('textarea') ?? null
}

document.addEventListener('click', (event) => {
  const button = around(event, '[data-quote]')
  if (!button) return
  const range = selectedRange() ?? selected
  const own = commentOf(button)
  // The button of the key is in no comment.
  const comment =
    own ?? commentOf(range?.commonAncestorContainer) ?? commentOf(document.activeElement) ?? commentOf(targetOfPage())
  const text = comment?.querySelector('.comment-body .markdown')
  const field = comment && answerField(comment)
  if (!text || !field) return
  const part = range && text.contains(range.commonAncestorContainer) ? range : undefined
  button.closest<HTMLDetailsElement>('details.menu[open]')?.removeAttribute('open')
  void import('./quote.ts').then(({ quote }) => quote(part?.cloneContents() ?? text, field))
})

const targetOfPage = (): Element | null => document.querySelector(`${frames}:target`)
