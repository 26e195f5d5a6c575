import type { Ctx } from '../../access/context.ts'
import type { ActionRunnerRow } from '../../db/tables/action-runners.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import type { Requirement } from '../../http/operation.ts'
import { Unauthenticated, UnsupportedMediaType } from '../../lib/errors.ts'
import { RunnerPrincipal } from '../runners/runner.credentials.ts'

/** The caller is a registered runner. */
export const byRunner: Requirement<Ctx, { readonly runner: ActionRunnerRow }> = {
  codes: ['runner'],
  refuses: [401],
  check({ principal, refusedCredential }) {
    if (principal instanceof RunnerPrincipal) return { runner: principal.runner }
    throw refusedCredential ?? new Unauthenticated('unregistered runner', 'runner_unregistered')
  },
}

/** The media types of messages: Connect in JSON and in protobuf, and gRPC-Web. */
const messageTypes = /^application\/(?:json|proto|grpc-web(?:\+(?:proto|json))?)(?:;|$)/i

/** The message has a media type of the protocol. The contract checks this before the credential. */
export const speaksConnect: Requirement<Ctx, object> = {
  codes: ['connectMediaType'],
  refuses: [415],
  check(_ctx, call) {
    if (!messageTypes.test(contentTypeOf(call))) {
      throw new UnsupportedMediaType('the content type must be application/json or application/proto')
    }
    return {}
  },
}
