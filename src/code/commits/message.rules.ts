import type { Commit, Identity, Tag } from '../../git/git.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'

/** Most characters of a subject, and of a message in a list of a page. */
const maxListedLength = 2000

/** Returns the first line of a message of a commit or tag; a very long one is cut. */
export const subjectOf = (message: string): string => {
  const end = message.indexOf('\n')
  // A line may be as long as the message, so no more of it is copied than is shown.
  return shortened(message.slice(0, end === -1 ? undefined : end).trim())
}

/** Returns a message without its first line. */
export const messageBody = (message: string): string => {
  const end = message.indexOf('\n')
  return end === -1 ? '' : message.slice(end).trim()
}

const shortened = (text: string): string =>
  text.length <= maxListedLength
    ? text
    : `${text
        .slice(0, maxListedLength)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`

/** Most characters of a name or an address in a list. */
const maxNameLength = 255

const shortPerson = <Person extends Identity | undefined>(person: Person): Person =>
  person && (person.name.length > maxNameLength || person.email.length > maxNameLength)
    ? { ...person, name: person.name.slice(0, maxNameLength), email: person.email.slice(0, maxNameLength) }
    : person

/** Returns a commit with a message and names that are short enough for a list of a page. */
export const shortCommit = (commit: Commit): Commit => ({
  ...commit,
  author: shortPerson(commit.author),
  committer: shortPerson(commit.committer),
  message: shortened(commit.message),
})

/**
 * Returns commits or tags for a list of the API: the messages, and what was signed, as far as the answer has room for
 * them. A later one has only its subject, and no signature.
 */
export function withinOutput<Listed extends Commit | Tag>(budget: WorkBudget, listed: readonly Listed[]): Listed[] {
  return listed.map((each) => {
    if (budget.tryTake('outputBytes', jsonBytes(each))) return each
    const { signature: _signature, signedPayload: _signedPayload, ...rest } = each
    return {
      ...rest,
      message: subjectOf(each.message),
      ...('author' in each
        ? { author: shortPerson(each.author), committer: shortPerson(each.committer) }
        : { tagger: shortPerson(each.tagger) }),
    } as Listed
  })
}

/**
 * Texts of fewer characters in one commit or tag are not read to count them: they count as six bytes a character, which
 * is the most. A page of such commits stays far below the limit, and lists of commits are read often.
 */
const countedLength = 2000

/** Returns the most bytes of the texts in JSON, where a control character takes six. */
function jsonBytes(each: Commit | Tag): number {
  const { message, signature = '', signedPayload } = each
  let length = message.length + signature.length + (signedPayload?.length ?? 0)
  if ('author' in each) length += lengthOf(each.author) + lengthOf(each.committer)
  else length += lengthOf(each.tagger)
  if (length < countedLength) return 6 * length
  const people = 'author' in each ? [each.author, each.committer] : [each.tagger]
  const names = people.flatMap((person) => (person ? [person.name, person.email] : []))
  const texts = [message, signature, signedPayload?.toString() ?? '', ...names]
  return texts.reduce((sum, text) => sum + jsonBytesOf(text), 0)
}

const lengthOf = (person: Identity | undefined): number => (person ? person.name.length + person.email.length : 0)

/** Returns the bytes of a text in JSON without encoding it, which would copy a long one. */
function jsonBytesOf(text: string): number {
  let bytes = Buffer.byteLength(text) + 2
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22 || code === 0x5c) bytes += 1
    // \b, \t, \n, \f and \r take two characters, the others six.
    else if (code < 0x20) bytes += code >= 0x08 && code <= 0x0d && code !== 0x0b ? 1 : 5
  }
  return bytes
}
