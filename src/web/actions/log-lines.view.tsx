import { usePage } from '../ui/page-context.ts'
import type { LogLine } from '../../actions/logs/log-page.service.ts'
import { Link, OutsideLink } from '../ui/link.tsx'
import { shownLine, type LogPart, type ShownLine } from './log-text.rules.ts'
import { actionsTexts as texts } from '../languages/texts.ts'

type TextLine = Exclude<ShownLine, { readonly kind: 'group' | 'endgroup' }>

/** One line, or a group of lines that folds. */
type LogItem =
  | { readonly index: number; readonly line: TextLine }
  | { readonly index: number; readonly time: string; readonly title: string; readonly lines: readonly IndexedLine[] }

interface IndexedLine {
  readonly index: number
  readonly line: TextLine
}

/** Puts the lines between the marks of a group together. Groups do not nest; a new one ends the last. */
function itemsOf(lines: readonly LogLine[]): readonly LogItem[] {
  const items: LogItem[] = []
  let group: IndexedLine[] | undefined
  for (const { index, text } of lines) {
    const line = shownLine(text)
    if (line.kind === 'group') {
      group = []
      items.push({ index, time: line.time, title: line.title, lines: group })
    } else if (line.kind === 'endgroup') group = undefined
    else if (group) group.push({ index, line })
    else items.push({ index, line })
  }
  return items
}

/** Lines of a log. A group with an error, or with the first line to look at, is open. */
export const LogLines = ({
  lines,
  found = '',
  first,
}: {
  readonly lines: readonly LogLine[]
  /** A text to mark, in any case. */
  readonly found?: string
  /** The line to look at first, from 0. */
  readonly first?: number | undefined
}) => (
  <>
    {itemsOf(lines).map((item) =>
      'line' in item ? (
        <Line {...item} found={found} />
      ) : (
        <details
          class="log-group"
          open={item.lines.some(({ index, line }) => line.kind === 'error' || index === first)}
        >
          <summary class="log-line" id={`L${item.index + 1}`}>
            {/* No link: it could not be reached within what opens the group. */}
            <span class="num" data-line={item.index + 1} />
            <span class="when">{item.time}</span>
            <span class="text">{item.title || texts.job.group}</span>
          </summary>
          {item.lines.map((each) => (
            <Line {...each} found={found} />
          ))}
        </details>
      ),
    )}
  </>
)

/** Some lines of a log on another page than that of the log, to which their numbers lead. */
export const LogExcerpt = ({
  lines,
  toLine,
}: {
  readonly lines: readonly LogLine[]
  readonly toLine: (index: number) => string
}) => (
  <div class="log-lines">
    {lines.map(({ index, text }) => {
      const line = shownLine(text)
      return 'parts' in line ? (
        <div class={lineClass(line)}>
          <Link class="num" to={toLine(index)} data-line={index + 1} aria-label={String(index + 1)} />
          <LineText line={line} found="" />
        </div>
      ) : null
    })}
  </div>
)

const lineClass = ({ kind }: TextLine): string => `log-line${kind === 'plain' ? '' : ` is-${kind}`}`

const LineNumber = ({ index }: { readonly index: number }) => (
  <a class="num" href={`#L${index + 1}`} data-line={index + 1} aria-label={String(index + 1)} />
)

const Line = ({ index, line, found }: IndexedLine & { readonly found: string }) => (
  <div class={lineClass(line)} id={`L${index + 1}`}>
    <LineNumber index={index} />
    <span class="when">{line.time}</span>
    <LineText line={line} found={found} />
  </div>
)

const LineText = ({ line, found }: { readonly line: TextLine; readonly found: string }) => (
  <span class="text">
    {line.parts.map((part) => (
      <Part {...part} found={found} />
    ))}
    {line.cutLength > 0 ? <em class="muted"> {texts.job.cutLine(line.cutLength)}</em> : null}
  </span>
)

const Part = ({ text, classes, found }: LogPart & { readonly found: string }) => {
  const content = found === '' ? <Linked text={text} /> : <Found text={text} found={found} />
  return classes === '' ? content : <span class={classes}>{content}</span>
}

/** Measured cost of a mark in microseconds, with the text before it. */
const markUs = 1

/** A text with marks around what was searched, within the budget. A match that spans two colours has no mark. */
function Found({ text, found }: { readonly text: string; readonly found: string }) {
  const pieces = text.split(new RegExp(`(${found.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)})`, 'i'))
  if (!usePage().budget.tryTake('processorUs', pieces.length * markUs)) return <>{text}</>
  return <>{pieces.map((piece, at) => (at % 2 === 1 ? <mark>{piece}</mark> : piece))}</>
}

const address = /https?:\/\/[^\s"'<>()[\]{}\\^`|]+[^\s"'<>()[\]{}\\^`|.,;:!?]/g

/** A text whose web addresses are links. */
function Linked({ text }: { readonly text: string }) {
  if (!text.includes('://')) return <>{text}</>
  const pieces: (string | { readonly href: string })[] = []
  let from = 0
  for (const match of text.matchAll(address)) {
    pieces.push(text.slice(from, match.index), { href: match[0] })
    from = match.index + match[0].length
  }
  pieces.push(text.slice(from))
  return (
    <>
      {pieces.map((piece) =>
        typeof piece === 'string' ? piece : <OutsideLink href={piece.href}>{piece.href}</OutsideLink>,
      )}
    </>
  )
}
