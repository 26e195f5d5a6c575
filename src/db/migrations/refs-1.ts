import type { Migration } from './migration.ts'

/**
 * What follows from a change of references is written into its own journal entry. Merges that the release before had
 * written down in a table of their own, and that still wait to be settled, take it along.
 */
export const refs1: Migration = {
  name: 'refs-1',
  statements: [
    `alter table ref_journal add column kind text not null default 'code'`,
    `alter table ref_journal add column effect text not null default ''`,
    `alter table ref_journal add column subject text not null default ''`,
    `update ref_journal set
      subject = 'pullMerge ' || (${ofWaitingMerge('pull_merge.pull_id')}),
      effect = '{"name":"pullMerge","version":1,"data":' || (${ofWaitingMerge(
        // `promises` is an object with two lists of issues, which join the other members.
        `'{"pullId":' || pull_merge.pull_id || ',"doerId":' || pull_merge.merger_id || ',' || substr(pull_merge.promises, 2)`,
      )}) || '}'
    where exists (${ofWaitingMerge('1')})`,
    `drop table pull_merge`,
  ],
}

/** Something of the merge that an entry moves the base for. An entry of a merge moves that one reference. */
function ofWaitingMerge(what: string): string {
  const names = (text: string): string => `replace(ref_journal.updates, ${text}, '') <> ref_journal.updates`
  return `select ${what} from pull_merge
    join pull on pull.id = pull_merge.pull_id
    where pull.repo_id = ref_journal.repo_id
      and replace(ref_journal.origin, '"via":"merge"', '') <> ref_journal.origin
      and ${names(`'"ref":"refs/heads/' || replace(pull.base_branch, '"', '\\"') || '"'`)}
      and ${names(`'"new":"' || pull_merge.new_oid || '"'`)}
    order by pull_merge.created_unix desc limit 1`
}
