import type { WholeCheck } from '../../access/contributions/doctor.ts'
import { checkIdentity } from './identity.service.ts'

export const identityCheck: WholeCheck = {
  name: 'instance',
  about: 'the instance key and the storages are those of the database',
  async *run(services) {
    for (const what of await checkIdentity(services, 'report')) yield { what, state: 'report' }
  },
}
