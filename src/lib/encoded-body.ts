import { hash } from 'node:crypto'

/** Texts up to this length stay texts. */
const maxTextLength = 8192

/**
 * The body of a reply as it is sent, and nothing else: for answers that are kept, whose objects would take several times
 * the memory.
 */
export class EncodedBody<Body extends object> {
  /** Only says what was encoded. */
  declare readonly body: Body
  /** A short one stays text: it is sent with the headers as one piece, which costs half of what two pieces do. */
  readonly content: string | Buffer
  readonly sizeBytes: number
  /** Entity tag with its quotes: the same for the same body of an operation. */
  readonly etag: string

  constructor(body: unknown) {
    const text = `${JSON.stringify(body)}\n`
    this.etag = `"${hash('sha1', text, 'base64url')}"`
    this.content = text.length <= maxTextLength ? text : Buffer.from(text)
    this.sizeBytes = Buffer.byteLength(this.content)
  }

  toJSON(): Body {
    return JSON.parse(this.content.toString()) as Body
  }
}
