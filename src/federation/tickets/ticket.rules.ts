import { NotAcceptable } from '../../lib/errors.ts'
import { parsePlainAddress, sameOrigin } from '../address.rules.ts'
import { idOf, innerDocument, plainLine, textOf, typeOf, type Document } from '../document.rules.ts'

const refuse = (message: string): NotAcceptable => new NotAcceptable(message, 'writing_invalid')

/** Longest text of an issue or comment, in characters. */
const maxBodyLength = 65_535

/** Returns the object of an activity, which must belong to the actor and its server. Throws `NotAcceptable`. */
export function ownObject(activity: Document, actorUrl: string, type: string): Document & { readonly id: string } {
  const object = innerDocument(activity, 'object')
  if (!object || typeOf(object) !== type) throw refuse(`[object]: must be a ${type}`)
  const id = textOf(object, 'id', 2048)
  if (id === undefined || !parsePlainAddress(id) || !sameOrigin(id, actorUrl)) {
    throw refuse('[object.id]: must be an address on the server of the actor')
  }
  if (idOf(object['attributedTo']) !== actorUrl) throw refuse('[object.attributedTo]: must be the actor')
  return { ...object, id }
}

/** Returns the Markdown source of an object, or its HTML, which is sanitised when it is rendered. */
export function bodyOf(object: Document): string {
  const source = innerDocument(object, 'source')
  const markdown =
    source && /^text\/(?:x-)?markdown\b/i.test(textOf(source, 'mediaType', 100) ?? '')
      ? textOf(source, 'content', maxBodyLength)
      : undefined
  // A blank line would end an HTML block in Markdown.
  const text = markdown ?? textOf(object, 'content', maxBodyLength)?.replaceAll(/\n\s*\n/g, '\n')
  if (text === undefined || text.trim() === '' || text.includes('\0')) {
    throw refuse(`[object.content]: must be a text of 1 to ${maxBodyLength} characters`)
  }
  return text
}

/** Returns the title of a ticket, which ForgeFed puts into `summary`. */
export function ticketTitle(ticket: Document): string {
  const title = plainLine(textOf(ticket, 'summary', 10_000) ?? textOf(ticket, 'name', 10_000) ?? '', 255)
  if (title === '') throw refuse('[object.summary]: is required')
  return title
}

/** Returns the addresses that a note refers to: its ticket and the note that it answers. */
export const subjectsOf = (note: Document): string[] =>
  [idOf(note['context']), idOf(note['inReplyTo'])].flatMap((each) => each ?? [])
