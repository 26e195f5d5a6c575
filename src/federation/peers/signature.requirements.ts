import type { Ctx } from '../../access/context.ts'
import type { Requirement } from '../../http/operation.ts'
import { BadRequest, TooLarge } from '../../lib/errors.ts'
import type { Call } from '../../http/operation.ts'
import { switchedOn } from '../../access/requirements.ts'
import { verifySignature, type Signer } from './verify.service.ts'

/** `[federation].ENABLED`. */
export const federated = switchedOn('federationEnabled', (config) => config.federation.enabled)

/** What the sender of a request is known by; undefined where `[federation].SIGNATURE_ENFORCED` is off. */
export interface SignedCtx extends Ctx {
  readonly signer: Signer | undefined
}

/** The body of a request as it came. */
export interface ReceivedCtx extends Ctx {
  readonly received: Buffer
}

const refuses = [400, 403]

/** The request was signed by the actor of another server, or by the server itself. */
export const signed: Requirement<Ctx, Pick<SignedCtx, 'signer'>> = {
  codes: ['httpSignature'],
  refuses,
  check: async (ctx, call) => ({ signer: await signerOf(ctx, call, undefined) }),
}

/** The same of a request with a body, which is read here, unless it was read before. */
export const signedBody: Requirement<
  Ctx & Partial<Pick<ReceivedCtx, 'received'>>,
  Pick<SignedCtx & ReceivedCtx, 'signer' | 'received'>
> = {
  codes: ['httpSignature'],
  refuses: [...refuses, 413],
  async check(ctx, call) {
    // Nothing is read of what nobody stands for.
    if (ctx.config.federation.signatureEnforced) refuseUnsigned(call)
    const received = ctx.received ?? (await readReceived(ctx, call))
    return { received, signer: await signerOf(ctx, call, received) }
  },
}

/** Reads the body as it is. Throws TooLarge over `[federation].MAX_SIZE`. */
export async function readReceived({ config }: Ctx, call: Call): Promise<Buffer> {
  const bytes = await call.wholeBody()
  const most = config.federation.maxSize * 1024 * 1024
  if (bytes.length > most) throw new TooLarge(`an activity has at most ${most} bytes`)
  return bytes
}

function refuseUnsigned({ headers }: Call): void {
  if (headers['signature'] === undefined && !/^Signature\s/i.test(String(headers['authorization'] ?? ''))) {
    throw new BadRequest('the request is not signed', 'signature_missing')
  }
}

const signerOf = async (ctx: Ctx, call: Call, body: Buffer | undefined): Promise<Signer | undefined> =>
  ctx.config.federation.signatureEnforced ? verifySignature(ctx, call, body) : undefined
