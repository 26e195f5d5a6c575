import { accountDetails, detailsOf, type AuditedNames } from '../../../admin/audit/audit.rules.ts'
import { auditedActions, type AuditedArea } from '../../../audit/audited-actions.ts'
import type { AuditEntryRow } from '../../../db/tables/audit.ts'
import { formatUnix, type Unix } from '../../../lib/time.ts'
import { Submit } from '../../ui/button.tsx'
import { Field, Select, type Choice } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Empty, PageHead, Tag } from '../../ui/parts.tsx'
import { pathOf, withQuery } from '../../ui/paths.ts'
import { clockText, dateText, momentText } from '../../ui/time.tsx'
import { auditTexts as texts } from '../../languages/texts.ts'
import { administrationTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

interface AuditFilterShown {
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly outcome: string | undefined
}

interface NamedProps {
  readonly names: AuditedNames
}

interface EntryProps extends NamedProps {
  readonly entry: AuditEntryRow
}

const unixOf = ({ at_ms: ms }: AuditEntryRow): Unix => Math.floor(ms / 1000)

/** `keepCount` as words: `keep count`. */
const wordsOf = (name: string): string =>
  name.replaceAll('.', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Actions of other versions of the program have no text. */
const actionText = (action: string): string =>
  (texts.actions as Readonly<Record<string, string>>)[action] ?? wordsOf(action)

/** An account or organization by its current name, with a link to its page for administrators. */
const AccountLink = ({ names, id }: NamedProps & { readonly id: number }) => {
  const account = names.accounts.get(id)
  if (!account) return <span>{texts.gone(id)}</span>
  const { name, kind } = account
  return <Link to={kind === 'organization' ? pathOf(name) : pathOf('admin', 'users', name)}>{name}</Link>
}

const RepoLink = ({ names, id }: NamedProps & { readonly id: number }) => {
  const found = names.repos.get(id)
  if (!found) return <span>{texts.gone(id)}</span>
  const { repo, owner } = found
  return <Link to={pathOf(owner.name, repo.name)}>{`${owner.name}/${repo.name}`}</Link>
}

/** The account that acted: by the name that it had, if it is deleted. */
const Actor = ({ names, entry: { actor_id: id, actor_name: name, acted_as_id: actedAsId } }: EntryProps) => (
  <p class="audit-actor">
    {id === null ? (
      <span class="muted">{texts.nobody}</span>
    ) : names.accounts.has(id) ? (
      <AccountLink names={names} id={id} />
    ) : (
      <span>{name}</span>
    )}
    {actedAsId === null ? null : (
      <span class="muted">{texts.actedAs(names.accounts.get(actedAsId)?.name ?? texts.somebody)}</span>
    )}
  </p>
)

/** The subject of an entry; nothing when it is the actor. */
const Subject = ({
  names,
  entry: { actor_id: actorId, object_kind: kind, object_id: id, object_name: name },
}: EntryProps) => {
  const isAccount = kind === 'account' || kind === 'organization'
  if (isAccount && id !== null && id === actorId) return null
  if (isAccount && id !== null && names.accounts.has(id)) return <AccountLink names={names} id={id} />
  if (kind === 'repository' && id !== null && names.repos.has(id)) return <RepoLink names={names} id={id} />
  return name === '' ? null : <span class="audit-name">{name}</span>
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value))

/** A detail in words; nothing for those that say nothing. */
const Detail = ({ names, name, value }: NamedProps & { readonly name: string; readonly value: unknown }) => {
  const label = texts.names[name] ?? `${wordsOf(name)}:`
  if (typeof value === 'boolean') {
    const text = (value ? texts.yes : texts.no)[name]
    return text === undefined ? null : <span>{text}</span>
  }
  if (typeof value === 'number' && accountDetails.has(name)) {
    return (
      <span>
        {label} <AccountLink names={names} id={value} />
      </span>
    )
  }
  if (typeof value === 'number' && name === 'repository') {
    return (
      <span>
        {label} <RepoLink names={names} id={value} />
      </span>
    )
  }
  const text = (texts.values[name] ?? textOf)(value)
  return text === '' ? null : <span>{`${label} ${text}`.trim()}</span>
}

const Entry = ({ names, entry }: EntryProps) => (
  <li class="row audit-row">
    <time class="audit-time" datetime={formatUnix(unixOf(entry))} title={momentText(unixOf(entry))}>
      {clockText(unixOf(entry))}
    </time>
    <Actor names={names} entry={entry} />
    <div class="row-main">
      <div class="line">
        <span class="strong">{actionText(entry.action)}</span>
        <Subject names={names} entry={entry} />
        {entry.outcome === 'refused' ? <Tag tone="danger">{texts.refused}</Tag> : null}
      </div>
      <p class="row-facts">
        {Object.entries(detailsOf(entry)).map(([name, value]) =>
          name === 'account' && names.accounts.get(Number(value))?.name === entry.object_name ? null : (
            <Detail names={names} name={name} value={value} />
          ),
        )}
      </p>
    </div>
    <p class="audit-origin">
      {entry.credential === '' || entry.credential === 'system' ? null : <span>{entry.credential}</span>}
      {entry.address === '' ? null : <span>{entry.address}</span>}
    </p>
  </li>
)

/** Entries below the days on which they happened. */
const Days = ({ entries, names }: NamedProps & { readonly entries: readonly AuditEntryRow[] }) => (
  <div class="stack">
    {[...Map.groupBy(entries, (entry) => dateText(unixOf(entry)))].map(([day, ofDay]) => (
      <section class="stack tight">
        <h2 class="audit-day">{day}</h2>
        <RowBox rows={ofDay}>{(entry) => <Entry names={names} entry={entry} />}</RowBox>
      </section>
    ))}
  </div>
)

const actionChoices = (): readonly Choice[] => [
  { value: '', label: texts.anyAction },
  ...(Object.keys(auditedActions) as AuditedArea[]).flatMap((area) =>
    auditedActions[area].map((action) => ({ value: action, label: texts.actions[action], group: texts.areas[area] })),
  ),
]

const Filter = ({ filter }: { readonly filter: AuditFilterShown }) => (
  <Form to="/admin/audit" method="get" class="fields-row" label={texts.filter}>
    <Field name="actor" label={texts.actor} value={filter.actor} isTerse />
    <Select name="action" label={texts.action} value={filter.action ?? ''} choices={actionChoices()} />
    <Select
      name="outcome"
      label={texts.outcome}
      value={filter.outcome ?? ''}
      choices={[
        { value: '', label: texts.anyOutcome },
        { value: 'done', label: texts.done },
        { value: 'refused', label: texts.refused },
      ]}
    />
    <Submit kind="plain">{texts.filter}</Submit>
    {Object.values(filter).every((value) => value === undefined) ? null : (
      <ButtonLink to="/admin/audit" kind="quiet">
        {texts.clear}
      </ButtonLink>
    )}
  </Form>
)

/** The audit log with its filter. */
export const AuditView = ({
  entries,
  names,
  filter,
  isFirst,
  hasMore,
}: NamedProps & {
  readonly entries: readonly AuditEntryRow[]
  readonly filter: AuditFilterShown
  readonly isFirst: boolean
  readonly hasMore: boolean
}) => (
  <>
    <PageHead title={administrationTexts.audit} />
    <Filter filter={filter} />
    {entries.length === 0 ? (
      <Empty icon="log" title={texts.empty}>
        {texts.emptyLead}
      </Empty>
    ) : (
      <Days entries={entries} names={names} />
    )}
    {isFirst && !hasMore ? null : (
      <p class="pages">
        {isFirst ? null : <ButtonLink to={withQuery('/admin/audit', { ...filter })}>{texts.newest}</ButtonLink>}
        {hasMore ? (
          <ButtonLink to={withQuery('/admin/audit', { ...filter, before: entries.at(-1)?.id })}>
            {texts.older}
          </ButtonLink>
        ) : null}
      </p>
    )}
  </>
)
