import { formatUnix, type Unix } from '../../lib/time.ts'

/** A time in UTC, to the minute. */
export const Moment = ({ unix }: { readonly unix: Unix }) => {
  const text = formatUnix(unix)
  return <time datetime={text}>{`${text.slice(0, 10)} ${text.slice(11, 16)} UTC`}</time>
}
