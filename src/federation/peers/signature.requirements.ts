import type { Ctx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { BadRequest, TooLarge } from '../../lib/errors.ts'
import type { Call } from '../../http/operation.ts'
import { switchedOn } from '../../access/requirements.ts'
import { verifySignature, type Signer } from './verify.service.ts'

/** `[federation].ENABLED`. */
export const federated = switchedOn('federationEnabled', (config) => config.federation.enabled)

/** `signer` is undefined when `[federation].SIGNATURE_ENFORCED` is off. */
export interface SignedCtx extends Ctx {
  readonly signer: Signer | undefined
}

/** The bytes of the body. */
export interface ReceivedCtx extends Ctx {
  readonly received: Buffer
}

const refuses = [400, 403]

/** Requires a signature by an actor of another server or by the server itself. */
export const signed: Requirement<Ctx, Pick<SignedCtx, 'signer'>> = {
  codes: ['httpSignature'],
  refuses,
  check: async (ctx, call) => ({ signer: await signerOf(ctx, call, undefined) }),
}

/** Requires a signature that covers the body, and reads the body unless an earlier requirement has read it. */
export const signedBody: Requirement<
  Ctx & Partial<Pick<ReceivedCtx, 'received'>>,
  Pick<SignedCtx & ReceivedCtx, 'signer' | 'received'>
> = {
  codes: ['httpSignature'],
  refuses: [...refuses, 413],
  async check(ctx, call) {
    // The body of an unsigned request is not read.
    if (ctx.config.federation.signatureEnforced) refuseUnsigned(call)
    const received = ctx.received ?? (await readReceived(ctx, call))
    return { received, signer: await signerOf(ctx, call, received) }
  },
}

/** Reads the body. Throws `TooLarge` above `[federation].MAX_SIZE`. */
export async function readReceived({ config }: Ctx, call: Call): Promise<Buffer> {
  const bytes = await call.wholeBody()
  const limit = config.federation.maxSize * 1024 * 1024
  if (bytes.length > limit) throw new TooLarge(`an activity has at most ${limit} bytes`)
  return bytes
}

function refuseUnsigned({ headers }: Call): void {
  if (headers['signature'] === undefined && !/^Signature\s/i.test(String(headers['authorization'] ?? ''))) {
    throw new BadRequest('the request is not signed', 'signature_missing')
  }
}

const signerOf = async (ctx: Ctx, call: Call, body: Buffer | undefined): Promise<Signer | undefined> =>
  ctx.config.federation.signatureEnforced ? verifySignature(ctx, call, body) : undefined
