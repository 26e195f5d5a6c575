import * as Turbo from '@hotwired/turbo'

/** A move that the server has not confirmed: where the card was. */
interface Origin {
  readonly list: Element
  readonly before: Element | null
}

const cardSelector = '.board-card'

/** Returns a refusal as a sentence. */
const sentence = (text: string): string => {
  const words = text.trim().replace(/\.$/, '')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}

/**
 * Moves cards of a board: by dragging, and by Shift with an arrow key on the focused card; the arrow keys alone go to the next card.
 * Moves are sent one after the other. A refused one puts the card back and says why.
 */
export function connectBoard(board: HTMLElement): () => void {
  const status = document.querySelector<HTMLElement>('[data-board-status]')
  const problem = document.querySelector<HTMLElement>('[data-board-problem]')
  const { board: address = '', csrf = '', moved = '', notMoved = '', offline = '', signedOut = '' } = board.dataset
  let dragged: { readonly card: HTMLElement; readonly from: string; readonly origin: Origin } | undefined
  let sending: Promise<void> = Promise.resolve()
  let waiting = 0
  /** Whether the page lacks a change of somebody else, which waits until nothing moves. */
  let isBehind = false

  const columnOf = (element: Element | null): HTMLElement | null =>
    element?.closest<HTMLElement>('[data-column]') ?? null
  const valueOf = (element: Element): string => columnOf(element)?.dataset['column'] ?? ''
  const cardsIn = (column: Element | null): HTMLElement[] => [
    ...(column?.querySelectorAll<HTMLElement>(cardSelector) ?? []),
  ]
  const nameOf = (column: Element | null): string => column?.querySelector('.column-name')?.textContent ?? ''
  const originOf = (card: Element): Origin => ({ list: card.parentElement as Element, before: card.nextElementSibling })
  const titleOf = (card: Element): HTMLElement | null => card.querySelector<HTMLElement>('.card-title')

  const say = (text: string) => {
    if (!status) return
    status.textContent = ''
    // A status that changes to the same words is said again only as another change.
    requestAnimationFrame(() => (status.textContent = text))
  }
  const showProblem = (text: string | undefined) => {
    if (!problem) return
    problem.hidden = text === undefined
    const words = problem.querySelector('div')
    if (words) words.textContent = text ?? ''
  }
  const count = (column: Element | null, by: number) => {
    const counter = column?.querySelector('.counter')
    const shown = Number(counter?.textContent)
    // A large number is shortened; the next load of the page corrects it.
    if (counter && Number.isInteger(shown)) counter.textContent = String(shown + by)
  }

  const tellPlace = (card: HTMLElement) => {
    const cards = cardsIn(columnOf(card))
    say(
      moved
        .replace('{column}', () => nameOf(columnOf(card)))
        .replace('{place}', String(cards.indexOf(card) + 1))
        .replace('{count}', String(cards.length)),
    )
  }

  /** Puts a card somewhere, with the focus that it had. */
  const put = (card: HTMLElement, list: Element, before: Element | null) => {
    const focused = card.contains(document.activeElement) ? (document.activeElement as HTMLElement) : undefined
    const from = columnOf(card)
    list.insertBefore(card, before)
    if (from !== columnOf(card)) {
      count(from, -1)
      count(columnOf(card), 1)
    }
    focused?.focus({ preventScroll: true })
    card.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }

  /** Sends where a card is now. */
  const send = (card: HTMLElement, from: string, origin: Origin) => {
    const body = new URLSearchParams({ _csrf: csrf, issue: card.dataset['card'] ?? '', column: valueOf(card), from })
    const before = card.previousElementSibling
    body.set('after', before?.matches(cardSelector) ? ((before as HTMLElement).dataset['card'] ?? '0') : '0')
    card.setAttribute('aria-busy', 'true')
    waiting++
    sending = sending.then(async () => {
      const refused = await request(body)
      card.removeAttribute('aria-busy')
      showProblem(refused)
      if (refused !== undefined) {
        const { list } = origin
        put(card, list, origin.before?.parentElement === list ? origin.before : null)
        say(`${refused} ${notMoved}`)
      }
      waiting--
      catchUp()
    })
  }
  /** Returns why the server refuses a move; undefined: it does not. */
  const request = async (body: URLSearchParams): Promise<string | undefined> => {
    try {
      const reply = await fetch(address, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: { accept: 'text/plain' },
      })
      if (reply.ok) return undefined
      // A redirect leads to the page that signs in.
      return reply.type === 'opaqueredirect' ? signedOut : sentence(await reply.text())
    } catch {
      return offline
    }
  }
  const catchUp = () => {
    if (!isBehind || waiting > 0 || dragged) return
    isBehind = false
    Turbo.visit(location.href, { action: 'replace' })
  }

  const onDragStart = (event: DragEvent) => {
    const card = (event.target as Element).closest<HTMLElement>(cardSelector)
    if (!card || !event.dataTransfer) return
    dragged = { card, from: valueOf(card), origin: originOf(card) }
    event.dataTransfer.effectAllowed = 'move'
    event.dataTransfer.setData('text/plain', titleOf(card)?.textContent ?? '')
    requestAnimationFrame(() => card.classList.add('is-dragged'))
  }
  const onDragOver = (event: DragEvent) => {
    const column = columnOf(event.target as Element)
    if (!dragged || !column) return
    event.preventDefault()
    for (const each of board.querySelectorAll('.is-target')) if (each !== column) each.classList.remove('is-target')
    column.classList.add('is-target')
    const { card } = dragged
    const below = cardsIn(column).find((each) => {
      const { top, height } = each.getBoundingClientRect()
      return each !== card && event.clientY < top + height / 2
    })
    const list = column.querySelector('.cards')
    if (list && (card.parentElement !== list || card.nextElementSibling !== (below ?? null))) {
      put(card, list, below ?? null)
    }
  }
  const onDrop = (event: DragEvent) => {
    if (!dragged || !columnOf(event.target as Element)) return
    event.preventDefault()
    const { card, from, origin } = dragged
    dragged = undefined
    const isElsewhere = card.parentElement !== origin.list || card.nextElementSibling !== origin.before
    if (!isElsewhere) return
    send(card, from, origin)
    tellPlace(card)
  }
  const onDragEnd = () => {
    for (const each of board.querySelectorAll('.is-target, .is-dragged')) {
      each.classList.remove('is-target', 'is-dragged')
    }
    if (!dragged) return
    // It was let go outside of the board.
    const { card, origin } = dragged
    dragged = undefined
    put(card, origin.list, origin.before)
    catchUp()
  }

  /** Returns the column beside another one. */
  const beside = (column: Element, step: 1 | -1): HTMLElement | undefined => {
    const columns = [...board.querySelectorAll<HTMLElement>('[data-column]')]
    return columns[columns.indexOf(column as HTMLElement) + step]
  }
  const move = (card: HTMLElement, key: string) => {
    const column = columnOf(card) as HTMLElement
    const [from, origin] = [valueOf(card), originOf(card)]
    const list = column.querySelector('.cards') as Element
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      const neighbour = key === 'ArrowUp' ? card.previousElementSibling : card.nextElementSibling
      if (!neighbour) return
      put(card, list, key === 'ArrowUp' ? neighbour : neighbour.nextElementSibling)
    } else {
      const target = beside(column, key === 'ArrowLeft' ? -1 : 1)?.querySelector('.cards')
      if (!target) return
      put(card, target, target.firstElementChild)
    }
    send(card, from, origin)
    tellPlace(card)
  }
  const go = (card: HTMLElement, key: string) => {
    const column = columnOf(card) as HTMLElement
    const cards = cardsIn(column)
    const at = cards.indexOf(card)
    let next: HTMLElement | undefined
    if (key === 'ArrowUp' || key === 'ArrowDown') next = cards[at + (key === 'ArrowUp' ? -1 : 1)]
    for (
      let other =
        key === 'ArrowLeft' || key === 'ArrowRight' ? beside(column, key === 'ArrowLeft' ? -1 : 1) : undefined;
      other && !next;
      other = beside(other, key === 'ArrowLeft' ? -1 : 1)
    ) {
      const others = cardsIn(other)
      next = others[Math.min(at, others.length - 1)]
    }
    if (next) titleOf(next)?.focus()
  }
  const onKey = (event: KeyboardEvent) => {
    const target = event.target as Element
    const card = target.closest<HTMLElement>(cardSelector)
    if (!card || !event.key.startsWith('Arrow') || event.altKey || event.ctrlKey || event.metaKey) return
    // The lists of the form have keys of their own.
    if (target.closest('form')) return
    event.preventDefault()
    if (event.shiftKey) move(card, event.key)
    else go(card, event.key)
  }
  const onStream = (event: Event) => {
    const stream = event.target as Element
    if (stream.getAttribute('action') !== 'refresh' || (waiting === 0 && !dragged)) return
    event.preventDefault()
    isBehind = true
  }

  board.addEventListener('dragstart', onDragStart)
  board.addEventListener('dragover', onDragOver)
  board.addEventListener('drop', onDrop)
  board.addEventListener('dragend', onDragEnd)
  board.addEventListener('keydown', onKey)
  document.addEventListener('turbo:before-stream-render', onStream)
  return () => {
    board.removeEventListener('dragstart', onDragStart)
    board.removeEventListener('dragover', onDragOver)
    board.removeEventListener('drop', onDrop)
    board.removeEventListener('dragend', onDragEnd)
    board.removeEventListener('keydown', onKey)
    document.removeEventListener('turbo:before-stream-render', onStream)
  }
}
