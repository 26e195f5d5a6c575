import type { Marks } from '../ui/form-state.ts'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Raw } from '../ui/raw.tsx'
import { TitleText } from '../ui/title-text.tsx'

/**
 * A message of a commit or tag. What it names is a link of its own, and the rest is a link to `to`, because links do not nest. The page
 * declares its messages.
 */
export const MessageText = ({
  text,
  to,
  class: more = '',
  ...rest
}: {
  readonly text: string
  readonly to?: string
  readonly class?: string
  readonly title?: string | undefined
} & Marks) => {
  const parts = usePage().messages?.get(text) ?? [text]
  const plain = (part: string) =>
    to === undefined ? (
      <TitleText text={part} />
    ) : (
      <Link to={to} {...rest} class={parts.length === 1 ? more : 'plain-link'}>
        <TitleText text={part} />
      </Link>
    )
  if (parts.length === 1 && typeof parts[0] === 'string' && to !== undefined) return plain(parts[0])
  return (
    <span class={more}>{parts.map((part) => (typeof part === 'string' ? plain(part) : <Raw html={part.html} />))}</span>
  )
}
