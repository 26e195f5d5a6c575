import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

/** Units in the order of their digits. */
const units = [
  'code',
  'issues',
  'pulls',
  'releases',
  'wiki',
  'projects',
  'packages',
  'actions',
  'ext_issues',
  'ext_wiki',
] as const

/** What a row of `team_unit` is in the number: its mode, at the place of its unit. */
const digitOf = (row: string): string =>
  `${row}.access_mode * case ${row}.unit ${units.map((unit, place) => `when '${unit}' then ${8 ** place}`).join(' ')} else 0 end`

const sumOf = (rows: string): string =>
  `cast(coalesce((select sum(${digitOf('given')}) from ${rows} as given where given.team_id = team.id), 0) as bigint)`
const change = (amount: string, team: string): string =>
  `update team set unit_modes = unit_modes ${amount} where id ${team};`
const changedBy = (sign: '+' | '-', rows: string): string =>
  change(`${sign} ${sumOf(rows)}`, `in (select team_id from ${rows})`)

/**
 * What a team gives in all units is one number of its row, an octal digit for each: somebody may be on hundreds of teams that
 * hold the same repository, and each of their rights is asked for with every request. The database keeps it.
 */
export const accounts8: Migration = {
  name: 'accounts-8',
  statements: [
    `alter table team add column unit_modes bigint not null default 0`,
    `update team set unit_modes = ${sumOf('team_unit')}`,
    sqlite(`create trigger team_unit_modes_insert after insert on team_unit begin
      ${change(`+ ${digitOf('new')}`, '= new.team_id')}
    end`),
    sqlite(`create trigger team_unit_modes_delete after delete on team_unit begin
      ${change(`- ${digitOf('old')}`, '= old.team_id')}
    end`),
    sqlite(`create trigger team_unit_modes_update after update of team_id, unit, access_mode on team_unit begin
      ${change(`- ${digitOf('old')}`, '= old.team_id')}
      ${change(`+ ${digitOf('new')}`, '= new.team_id')}
    end`),
    postgres(`create function sum_team_units() returns trigger language plpgsql as $$ begin
        if tg_op <> 'INSERT' then ${changedBy('-', 'were')} end if;
        if tg_op <> 'DELETE' then ${changedBy('+', 'are')} end if;
        return null;
      end $$`),
    postgres(`create trigger team_unit_modes_insert after insert on team_unit referencing new table as are
      for each statement execute function sum_team_units()`),
    postgres(`create trigger team_unit_modes_delete after delete on team_unit referencing old table as were
      for each statement execute function sum_team_units()`),
    postgres(`create trigger team_unit_modes_update after update on team_unit referencing old table as were new table as are
      for each statement execute function sum_team_units()`),
  ],
}
