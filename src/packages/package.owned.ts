import { stillOwns, type OwnedByAccount } from '../access/contributions/owned.ts'
import { purgePackages } from './package.service.ts'
import { ownsPackages } from './package.store.ts'

export const ownedPackages: OwnedByAccount = {
  of: 'account',
  async refuse(tx, account) {
    if (await ownsPackages(tx, account.id)) throw stillOwns(account)
  },
  purge: purgePackages,
}
