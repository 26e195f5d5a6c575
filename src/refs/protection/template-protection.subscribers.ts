import { subscriber } from '../../events/subscriber.ts'
import { nowUnix } from '../../lib/time.ts'
import { copyBranchRules } from './branch-protection.store.ts'

/** Copies branch rules from a template when the request asks for them. */
export const copyTemplateProtections = subscriber({
  name: 'copyTemplateProtections',
  on: 'repo.generated',
  async inTransaction(tx, event, { clock }) {
    const { templateId, repoId, takes } = event.data
    if (takes.protectedBranch) await copyBranchRules(tx, templateId, repoId, nowUnix(clock))
  },
})
