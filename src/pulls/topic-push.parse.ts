/** What a push to `refs/for/` asks beside its reference. */
export interface TopicOptions {
  readonly topic: string
  readonly title: string
  readonly description: string
  /** The history of the topic may be rewritten. */
  readonly isForced: boolean
}

/** The push options that topics read. */
export const topicOptions: readonly string[] = ['topic', 'title', 'description', 'force-push']

/** Reads push options; a bare name means an empty text, for `force-push` yes. Unknown ones are passed over. */
export function readTopicOptions(texts: readonly string[]): TopicOptions {
  const values = new Map(
    texts.map((text) => {
      const [name = '', value] = text.split(/=(.*)/s)
      return [name, value]
    }),
  )
  const forced = values.get('force-push')
  return {
    topic: (values.get('topic') ?? '').trim(),
    title: values.get('title') ?? '',
    description: values.get('description') ?? '',
    isForced: values.has('force-push') && (forced === undefined || /^(?:1|t|true)$/i.test(forced)),
  }
}

const prefix = 'refs/for/'

/** True for references that ask for a review instead of naming a branch. */
export const isTopicRef = (ref: string): boolean => ref.startsWith(prefix)

/** The ways to read what follows `refs/for/`: as branch and topic, the longest name of a branch first. */
export function readTopicRef(ref: string): { readonly branch: string; readonly topic: string }[] {
  const parts = ref.slice(prefix.length).split('/')
  return parts.map((_, index) => ({
    branch: parts.slice(0, parts.length - index).join('/'),
    topic: parts.slice(parts.length - index).join('/'),
  }))
}

/** The name that a topic of an account goes by. */
export function topicName(login: string, topic: string): string {
  const own = `${login.toLowerCase()}/`
  return topic.startsWith(own) ? topic : own + topic
}

/** Title and description out of the message of a commit: its first line, and what follows the first empty one. */
export function describeCommit(message: string): { readonly title: string; readonly description: string } {
  const [title = '', ...rest] = message.split('\n')
  const start = rest.indexOf('')
  return { title: title.trim(), description: start < 0 ? '' : rest.slice(start + 1).join('\n') }
}
