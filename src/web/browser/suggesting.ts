/** Suggestions of other lines: the block of a suggestion begins with the lines that it replaces. */

/** Lines that are longer are shown in part, and a suggestion would cut them. */
const maxShown = 2000

/** Returns the text of a row or cell of a difference, without numbers and marks. */
export function rowText(place: Element): string {
  const cell = place.matches('.text') ? place : [...place.querySelectorAll('.text')].at(-1)
  return cell?.textContent ?? ''
}

/** Returns the id of a line on one side, such as `diff-3-R12`; the default is the new side if the row has one. */
export function lineOf(row: Element, side?: string): string | undefined {
  const ids = [row.id, ...[...row.querySelectorAll('[id]')].map(({ id }) => id)].filter((id) => id !== '')
  return side === undefined ? ids.at(-1) : ids.find((id) => sideOf(id) === side)
}

/** Returns the side of a line, `L` or `R`. */
export const sideOf = (id: string): string | undefined => /-([LR])\d+$/.exec(id)?.[1]

/** The form that opens next begins with a suggestion. */
let isWanted = false
export const showSuggestion = (): void => {
  isWanted = true
}

/** Returns the new lines of a file that a page shows; undefined when one is missing or cut. */
function linesOf(file: string, first: number, last: number): readonly string[] | undefined {
  const lines: string[] = []
  for (let number = first; number <= last; number++) {
    const line = document.getElementById(`${file}-R${number}`)
    const cell = line?.matches('tr') ? line.querySelector('.text') : line?.nextElementSibling
    const text = cell?.textContent
    if (text === undefined || text === null || text.length > maxShown) return undefined
    lines.push(text)
  }
  return lines
}

/** A fence that the lines do not contain. */
function fenceAround(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)))
  return '`'.repeat(longest + 1)
}

/** Makes the button of a line comment's toolbar put the block of a suggestion into the text. */
export function connectSuggesting(button: HTMLElement): () => void {
  const form = button.closest('form')
  const field = form?.querySelector('textarea')
  const file = button.closest('turbo-frame')?.id ?? ''
  const numberIn = (name: string) => Number(form?.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value)
  const insert = () => {
    if (!field) return
    const lines = linesOf(file, numberIn('first'), numberIn('line'))
    const message = form?.querySelector('[data-suggest-problem]')
    if (message) message.textContent = lines ? '' : (button.dataset['problem'] ?? '')
    field.focus()
    if (!lines) return
    const fence = fenceAround(lines)
    const before = field.value.slice(0, field.selectionStart)
    const lead = before === '' || before.endsWith('\n') ? '' : '\n'
    const begin = `${lead}${fence}suggestion\n`
    const at = field.selectionStart + begin.length
    field.setRangeText(`${begin}${lines.join('\n')}\n${fence}\n`, field.selectionStart, field.selectionEnd, 'end')
    field.setSelectionRange(at, at + lines.join('\n').length)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  button.addEventListener('click', insert)
  if (isWanted) {
    isWanted = false
    insert()
  }
  return () => button.removeEventListener('click', insert)
}
