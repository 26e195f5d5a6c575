import { subscriber } from '../../events/subscriber.ts'
import { nowUnix } from '../../lib/time.ts'
import { copyBranchRules } from './branch-protection.store.ts'

/** Rules for branches of a template, where they were asked for. */
export const copyTemplateProtections = subscriber({
  name: 'copyTemplateProtections',
  on: 'repo.generated',
  async inTransaction(tx, event, { clock }) {
    const { templateId, repoId, takes } = event.data
    if (takes.protectedBranch) await copyBranchRules(tx, templateId, repoId, nowUnix(clock))
  },
})
