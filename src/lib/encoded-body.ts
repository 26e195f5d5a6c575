import { hash } from 'node:crypto'

/** Longer texts are stored as buffers. In characters. */
const maxTextLength = 8192

/**
 * The encoded body of a cached reply; its objects would take several times the memory.
 */
export class EncodedBody<Body extends object> {
  /** Only a type: the encoded object. */
  declare readonly body: Body
  /** Short content stays text: Node sends it in one write with the headers. */
  readonly content: string | Buffer
  readonly sizeBytes: number
  /** Entity tag with its quotes; it depends on the body only. */
  readonly etag: string

  /** @param toJson returns the JSON of the body; a list of people's texts has a limit (`listJson`) */
  constructor(body: unknown, toJson: (body: unknown) => string = JSON.stringify) {
    const text = `${toJson(body)}\n`
    this.etag = `"${hash('sha1', text, 'base64url')}"`
    this.content = text.length <= maxTextLength ? text : Buffer.from(text)
    this.sizeBytes = Buffer.byteLength(this.content)
  }

  toJSON(): Body {
    return JSON.parse(this.content.toString()) as Body
  }
}
