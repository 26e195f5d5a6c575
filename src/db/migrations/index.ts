import { accounts1 } from './accounts-1.ts'
import { accounts2 } from './accounts-2.ts'
import { accounts3 } from './accounts-3.ts'
import { accounts4 } from './accounts-4.ts'
import { audit1 } from './audit-1.ts'
import { audit2 } from './audit-2.ts'
import { accounts5 } from './accounts-5.ts'
import { accounts6 } from './accounts-6.ts'
import { accounts7 } from './accounts-7.ts'
import { accounts8 } from './accounts-8.ts'
import { accounts9 } from './accounts-9.ts'
import { accounts10 } from './accounts-10.ts'
import { accounts11 } from './accounts-11.ts'
import { accounts12 } from './accounts-12.ts'
import { accounts13 } from './accounts-13.ts'
import { actions1 } from './actions-1.ts'
import { actions10 } from './actions-10.ts'
import { actions11 } from './actions-11.ts'
import { packages7 } from './packages-7.ts'
import { actions2 } from './actions-2.ts'
import { actions3 } from './actions-3.ts'
import { actions4 } from './actions-4.ts'
import { actions5 } from './actions-5.ts'
import { actions6 } from './actions-6.ts'
import { actions7 } from './actions-7.ts'
import { actions8 } from './actions-8.ts'
import { actions9 } from './actions-9.ts'
import { activity1 } from './activity-1.ts'
import { activity2 } from './activity-2.ts'
import { events1 } from './events-1.ts'
import { federation1 } from './federation-1.ts'
import { federation2 } from './federation-2.ts'
import { federation3 } from './federation-3.ts'
import { gitData1 } from './git-data-1.ts'
import { imports1 } from './imports-1.ts'
import { imports2 } from './imports-2.ts'
import { issues1 } from './issues-1.ts'
import { issues2 } from './issues-2.ts'
import { issues3 } from './issues-3.ts'
import { issues4 } from './issues-4.ts'
import { issues5 } from './issues-5.ts'
import { lfs1 } from './lfs-1.ts'
import type { Migration } from './migration.ts'
import { mirrors1 } from './mirrors-1.ts'
import { mirrors2 } from './mirrors-2.ts'
import { mail1 } from './mail-1.ts'
import { mail2 } from './mail-2.ts'
import { notifications1 } from './notifications-1.ts'
import { notifications2 } from './notifications-2.ts'
import { notifications3 } from './notifications-3.ts'
import { oauth1 } from './oauth-1.ts'
import { oauth2 } from './oauth-2.ts'
import { oauth3 } from './oauth-3.ts'
import { packages1 } from './packages-1.ts'
import { packages2 } from './packages-2.ts'
import { packages3 } from './packages-3.ts'
import { packages4 } from './packages-4.ts'
import { packages5 } from './packages-5.ts'
import { packages6 } from './packages-6.ts'
import { processes1 } from './processes-1.ts'
import { pulls1 } from './pulls-1.ts'
import { quota1 } from './quota-1.ts'
import { quota2 } from './quota-2.ts'
import { refs1 } from './refs-1.ts'
import { releases1 } from './releases-1.ts'
import { repoRelations1 } from './repo-relations-1.ts'
import { repoRelations2 } from './repo-relations-2.ts'
import { repoRelations3 } from './repo-relations-3.ts'
import { repoRelations4 } from './repo-relations-4.ts'
import { repoRelations5 } from './repo-relations-5.ts'
import { repoRelations6 } from './repo-relations-6.ts'
import { repoRelations7 } from './repo-relations-7.ts'
import { repositories1 } from './repositories-1.ts'
import { repositories2 } from './repositories-2.ts'
import { repositories3 } from './repositories-3.ts'
import { repositories4 } from './repositories-4.ts'
import { repositories5 } from './repositories-5.ts'
import { scale1 } from './scale-1.ts'
import { scale2 } from './scale-2.ts'
import { scale3 } from './scale-3.ts'
import { scale4 } from './scale-4.ts'
import { scale5 } from './scale-5.ts'
import { wiki1 } from './wiki-1.ts'
import { webhooks1 } from './webhooks-1.ts'
import { revisions1 } from './revisions-1.ts'
import { revisions2 } from './revisions-2.ts'
import { revisions3 } from './revisions-3.ts'
import { work1 } from './work-1.ts'

export type { Migration }

/**
 * Every migration, in the order in which they run: a new one goes to the end. Each area counts its own, so that two
 * people who work on different areas do not choose the same name.
 */
export const migrations: readonly Migration[] = [
  accounts1,
  repositories1,
  work1,
  gitData1,
  issues1,
  pulls1,
  repoRelations1,
  actions1,
  mirrors1,
  repositories2,
  events1,
  quota1,
  issues2,
  refs1,
  releases1,
  notifications1,
  mirrors2,
  wiki1,
  mail1,
  lfs1,
  webhooks1,
  revisions1,
  activity1,
  packages1,
  repoRelations2,
  quota2,
  federation1,
  oauth1,
  packages2,
  actions2,
  mail2,
  accounts2,
  imports1,
  federation2,
  repositories3,
  accounts3,
  imports2,
  actions3,
  federation3,
  actions4,
  accounts4,
  packages3,
  packages4,
  actions5,
  actions6,
  actions7,
  packages5,
  audit1,
  accounts5,
  accounts6,
  scale1,
  scale2,
  packages6,
  audit2,
  accounts7,
  actions8,
  oauth2,
  repositories4,
  scale3,
  oauth3,
  scale4,
  scale5,
  repoRelations3,
  repoRelations4,
  activity2,
  revisions2,
  issues3,
  issues4,
  repoRelations5,
  accounts8,
  repoRelations6,
  accounts9,
  notifications2,
  issues5,
  revisions3,
  accounts10,
  repositories5,
  accounts11,
  actions9,
  accounts12,
  repoRelations7,
  accounts13,
  actions10,
  notifications3,
  actions11,
  packages7,
  processes1,
]
