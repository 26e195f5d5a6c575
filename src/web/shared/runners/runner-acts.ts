import {
  endRegistrationToken,
  removeRunner,
  setRegistrationEnabled,
  type RunnerOwner,
} from '../../../actions/runners/runner-control.service.ts'
import type { AnyRequirement } from '../../../http/operation.ts'
import { act } from '../../shell/page.tsx'
import type { HolderCtx } from '../holder-context.ts'
import { makeRunnerToken } from './runners.ts'
import { secretTexts as texts } from '../../languages/texts.ts'
import { integer, tick } from '../../ui/fields.ts'

/** What has runners: an account, an organization, a repository, or the instance. */
interface RunnerHolder<Rs extends readonly AnyRequirement[]> {
  /** The address that those of the runners are below. */
  readonly path: string
  /** What the ids of the API's operations on these runners begin with. */
  readonly twins: 'admin' | 'org' | 'repo' | 'user'
  /** Checked after the session. */
  readonly requires: Rs
  readonly ownerOf: (ctx: HolderCtx<Rs>) => RunnerOwner
  /** Returns the path of the page that shows the runners. */
  readonly listPathOf: (ctx: HolderCtx<Rs>) => string
}

/** Declares what the forms of the runners of a place do. */
export function runnerActs<const Rs extends readonly AnyRequirement[]>(holder: RunnerHolder<Rs>) {
  // Inside, only what each place has in common is known of a context.
  const { path, twins, requires, ownerOf, listPathOf } = holder as unknown as RunnerHolder<readonly AnyRequirement[]>
  const newToken = act({
    twin: `${twins}RotateRunnerRegistration`,
    path: `${path}/runners/token`,
    cost: 'usual',
    recentSignIn: true,
    requires,
    run: async ({ ctx }) => ({ to: listPathOf(ctx), cookies: await makeRunnerToken(ctx, ownerOf(ctx)) }),
  })
  const endToken = act({
    twin: `${twins}DeleteRunnerRegistration`,
    path: `${path}/runners/token/delete`,
    cost: 'usual',
    requires,
    async run({ ctx }) {
      await endRegistrationToken(ctx, ownerOf(ctx))
      return { to: listPathOf(ctx), notice: texts.tokenEnded }
    },
  })
  const setRegistration = act({
    twin: `${twins}EditRunnerRegistration`,
    path: `${path}/runners/registration`,
    cost: 'usual',
    requires,
    fields: { is_active: tick },
    async run({ ctx, body }) {
      await setRegistrationEnabled(ctx, ownerOf(ctx), body.is_active === true)
      return { to: listPathOf(ctx), notice: texts.registrationSaved }
    },
  })
  const deleteRunner = act({
    twin: `${twins}DeleteRunner`,
    path: `${path}/runners/delete`,
    cost: 'usual',
    requires,
    fields: { id: integer },
    async run({ ctx, body }) {
      await removeRunner(ctx, ownerOf(ctx), body.id ?? 0)
      return { to: listPathOf(ctx), notice: texts.runnerRemoved }
    },
  })
  return { newToken, endToken, setRegistration, deleteRunner }
}
