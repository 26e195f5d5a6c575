import { diffWordsWithSpace, type Change } from 'diff'
import type { WorkBudget } from '../../../lib/work-budget.ts'

/** A range of a line, in UTF-16 units; `end` is exclusive. */
export interface Range {
  readonly begin: number
  readonly end: number
}

/** What differs within a pair of lines. */
export interface PairMarks {
  readonly old: readonly Range[]
  readonly new: readonly Range[]
}

/** Longest line that is compared word by word. */
const maxLength = 500
/** Most added and removed words of a pair that is marked. The work grows with the square of their number. */
const maxEdits = 40
/** Words are marked when at least this part of the longer line is the same. */
const minAlike = 0.35

/**
 * Microseconds to compare a pair: for itself, each character, each edit and the square of the edits (measured with lines of
 * 480 characters: 52 with 1 edit, 144 with 10, 233 with 20, 380 with 30).
 */
const priceOf = { pair: 10, character: 1 / 20, edit: 6, squareOfEdits: 1 / 8 } as const

/**
 * Returns what differs between the words of two lines; undefined when they are too long or too different, and when the
 * budget is used up.
 */
export function wordMarks(before: string, after: string, budget: WorkBudget): PairMarks | undefined {
  if (before.length > maxLength || after.length > maxLength || before === after) return undefined
  const price = priceOf.pair + (before.length + after.length) * priceOf.character
  if (!budget.tryTake('processorUs', price)) return undefined
  const head = commonStart(before, after)
  const tail = commonEnd(before, after, head)
  const middle = { old: before.slice(head, before.length - tail), new: after.slice(head, after.length - tail) }
  const marks: { old: Range[]; new: Range[] } = { old: [], new: [] }
  let same = alikeLength(before.slice(0, head)) + alikeLength(before.slice(before.length - tail))
  let at = { old: head, new: head }
  const parts: readonly Pick<Change, 'value' | 'added' | 'removed' | 'count'>[] | undefined =
    middle.old === '' || middle.new === ''
      ? [
          { value: middle.old, removed: true, added: false, count: 1 },
          { value: middle.new, removed: false, added: true, count: 1 },
        ]
      : diffWordsWithSpace(middle.old, middle.new, { maxEditLength: maxEdits })
  // The library counts the changed words of each part.
  const edits = parts?.reduce((sum, part) => sum + (part.added || part.removed ? (part.count ?? 1) : 0), 0) ?? maxEdits
  budget.spend('processorUs', edits * priceOf.edit + edits ** 2 * priceOf.squareOfEdits)
  if (parts === undefined) return undefined
  for (const { value, added, removed } of parts) {
    const size = value.length
    if (removed && size > 0) marks.old.push({ begin: at.old, end: at.old + size })
    if (added && size > 0) marks.new.push({ begin: at.new, end: at.new + size })
    if (!added && !removed) same += alikeLength(value)
    at = { old: at.old + (added ? 0 : size), new: at.new + (removed ? 0 : size) }
  }
  const longest = Math.max(alikeLength(before), alikeLength(after))
  return longest > 0 && same / longest < minAlike ? undefined : marks
}

const alikeLength = (text: string): number => text.replace(/\s+/g, '').length

const isWordCharacter = (text: string, at: number): boolean => /[\p{L}\p{N}_]/u.test(text[at] ?? '')

/** Returns the length of what both begin with, without a part of a word. */
function commonStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length)
  let length = 0
  while (length < most && before.charCodeAt(length) === after.charCodeAt(length)) length += 1
  const isSplit = () => isWordCharacter(before, length) || isWordCharacter(after, length)
  if (length > 0 && isSplit()) while (length > 0 && isWordCharacter(before, length - 1)) length -= 1
  return length > 0 && isHighSurrogate(before, length - 1) ? length - 1 : length
}

/** Returns the length of what both end with after `head`, without a part of a word. */
function commonEnd(before: string, after: string, head: number): number {
  const most = Math.min(before.length, after.length) - head
  let length = 0
  while (
    length < most &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  ) {
    length += 1
  }
  const isSplit = () =>
    isWordCharacter(before, before.length - 1 - length) || isWordCharacter(after, after.length - 1 - length)
  if (length > 0 && isSplit()) while (length > 0 && isWordCharacter(before, before.length - length)) length -= 1
  return length > 0 && isLowSurrogate(before, before.length - length) ? length - 1 : length
}

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800
const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00

const open = '<mark>'
const close = '</mark>'

/**
 * Returns the HTML of a line with marks around ranges of its text. Tags of the HTML stay whole: a mark ends before a tag and
 * begins again after it.
 */
export function markRanges(html: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return html
  let result = ''
  let position = 0
  let next = 0
  let isOpen = false
  const change = (wanted: boolean) => {
    if (wanted === isOpen) return
    result += wanted ? open : close
    isOpen = wanted
  }
  for (const [token] of html.matchAll(/<[^>]*>|&[^;\s]{1,8};|[^<&]+|[<&]/g)) {
    if (token.startsWith('<') && token.length > 1) {
      change(false)
      result += token
      continue
    }
    // Entities stand for one character.
    const size = token.startsWith('&') && token.length > 1 ? 1 : token.length
    for (let at = 0; at < size;) {
      while (next < ranges.length && (ranges[next] as Range).end <= position) next += 1
      const { begin, end } = ranges[next] ?? { begin: Infinity, end: Infinity }
      const isInside = position >= begin
      const step = Math.min(size - at, (isInside ? end : begin) - position)
      change(isInside)
      result += size === token.length ? token.slice(at, at + step) : token
      at += step
      position += step
    }
  }
  change(false)
  return result
}
