import { PassThrough, type Readable } from 'node:stream'
import { BadRequest } from '../lib/errors.ts'
import { asFleeting, isFleeting } from '../lib/fleeting.ts'

/**
 * The bytes of a request for somebody who may give up early, as a store does when a file is too large: destroying the
 * request itself would cut the connection before the client has read why.
 */
export function untied(body: Readable): Readable {
  const content = new PassThrough()
  const endedEarly = () => content.destroy(new BadRequest('the body ended early', 'body_incomplete'))
  body
    .once('error', (error: Error) => content.destroy(error))
    .once('close', () => {
      if (!body.readableEnded) endedEarly()
    })
  content.once('close', () => body.unpipe(content))
  body.pipe(content)
  return isFleeting(body) ? asFleeting(content) : content
}
