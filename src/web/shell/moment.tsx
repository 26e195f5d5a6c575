import { formatUnix, type Unix } from '../../lib/time.ts'

/** A moment, to the minute, in the one zone that means the same to everybody. */
export const Moment = ({ unix }: { readonly unix: Unix }) => {
  const text = formatUnix(unix)
  return <time datetime={text}>{`${text.slice(0, 10)} ${text.slice(11, 16)} UTC`}</time>
}
