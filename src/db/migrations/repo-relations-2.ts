import type { Migration } from './migration.ts'

/** Topics are counted for whoever asks; a number of all repositories, private ones among them, is nobody's. */
export const repoRelations2: Migration = {
  name: 'repo-relations-2',
  statements: ['alter table topic drop column repo_count'],
}
