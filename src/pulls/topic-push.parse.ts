/** The push options of a push to `refs/for/`. */
export interface TopicOptions {
  readonly topic: string
  readonly title: string
  readonly description: string
  /** Allows to rewrite the history of the topic. */
  readonly isForced: boolean
}

/** The names of the push options. */
export const topicOptions: readonly string[] = ['topic', 'title', 'description', 'force-push']

/** Parses push options. A bare name means an empty text, or true for `force-push`. Unknown options are ignored. */
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

/** Returns whether a reference belongs to the topic flow. */
export const isTopicRef = (ref: string): boolean => ref.startsWith(prefix)

/** Returns each split of the text after `refs/for/` into branch and topic, the longest branch first. */
export function readTopicRef(ref: string): { readonly branch: string; readonly topic: string }[] {
  const parts = ref.slice(prefix.length).split('/')
  return parts.map((_, index) => ({
    branch: parts.slice(0, parts.length - index).join('/'),
    topic: parts.slice(parts.length - index).join('/'),
  }))
}

/** Returns the name of an account's topic: the login, a slash and the topic. */
export function topicName(login: string, topic: string): string {
  const own = `${login.toLowerCase()}/`
  return topic.startsWith(own) ? topic : own + topic
}

/** Returns the title and description of a commit message: its first line, and the text after the first empty line. */
export function describeCommit(message: string): { readonly title: string; readonly description: string } {
  const [title = '', ...rest] = message.split('\n')
  const start = rest.indexOf('')
  return { title: title.trim(), description: start < 0 ? '' : rest.slice(start + 1).join('\n') }
}
