import { subscriber } from '../../events/subscriber.ts'
import { nowUnix } from '../../lib/time.ts'
import { copyLabels } from './template-label.store.ts'

/** Copies the labels of a template when the request asks for them. */
export const copyTemplateLabels = subscriber({
  name: 'copyTemplateLabels',
  on: 'repo.generated',
  async inTransaction(tx, event, { clock }) {
    if (event.data.takes.labels) await copyLabels(tx, event.data.templateId, event.data.repoId, nowUnix(clock))
  },
})
