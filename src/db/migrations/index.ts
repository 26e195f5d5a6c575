import { accounts } from './0001-accounts.ts'
import { repositories } from './0002-repositories.ts'
import { work } from './0003-work.ts'
import { gitData } from './0004-git-data.ts'
import { repoRelations } from './0007-repo-relations.ts'
import { issues } from './0005-issues.ts'
import { pulls } from './0006-pulls.ts'
import { actions } from './0008-actions.ts'
import { mirrors } from './0009-mirrors.ts'
import { refJournal } from './0010-ref-journal.ts'
import { events } from './0011-events.ts'
import type { Migration } from './migration.ts'

export type { Migration }

/** Every migration, oldest first. */
export const migrations: readonly Migration[] = [
  accounts,
  repositories,
  work,
  gitData,
  issues,
  pulls,
  repoRelations,
  actions,
  mirrors,
  refJournal,
  events,
]
