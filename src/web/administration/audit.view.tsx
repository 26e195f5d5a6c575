import type { Act } from '../../audit/audit.ts'
import type { AuditEntryRow } from '../../db/tables/audit.ts'
import type { Page } from '../../lib/paging.ts'
import { formatUnix, type Unix } from '../../lib/time.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Box, Empty, PageHead, Pages, Tag } from '../ui/parts.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { clockText, dateText, momentText } from '../ui/time.tsx'
import { SearchForm } from './search-form.tsx'
import { texts as all } from './texts.tsx'

const texts = all.log

interface AuditFilterShown {
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly outcome: string | undefined
}

const unixOf = ({ at_ms: ms }: AuditEntryRow): Unix => Math.floor(ms / 1000)

/** `runnerToken.made` as words: `runner token made`. */
const wordsOf = ({ action }: AuditEntryRow): string =>
  action.replaceAll('.', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Details as names with values. */
const detailsOf = ({ details }: AuditEntryRow): readonly string[] =>
  Object.entries(JSON.parse(details) as Act['details'] & {}).map(
    ([name, value]) => `${name}: ${typeof value === 'object' ? value.join(', ') : String(value)}`,
  )

const Entry = ({ entry }: { readonly entry: AuditEntryRow }) => (
  <li class="row audit-row">
    <time class="audit-time" datetime={formatUnix(unixOf(entry))} title={momentText(unixOf(entry))}>
      {clockText(unixOf(entry))}
    </time>
    <div class="row-main">
      <div class="line">
        {entry.actor_id === null ? (
          <span class="muted">{texts.nobody}</span>
        ) : (
          <Link to={pathOf('admin', 'users', entry.actor_name)} class="row-title">
            {entry.actor_name}
          </Link>
        )}
        <span>{wordsOf(entry)}</span>
        {entry.object_name === '' || entry.object_name === entry.actor_name ? null : (
          <span class="strong">{entry.object_name}</span>
        )}
        {entry.outcome === 'refused' ? <Tag tone="danger">{texts.refused}</Tag> : null}
      </div>
      <p class="row-facts">
        {detailsOf(entry).map((detail) => (
          <span>{detail}</span>
        ))}
      </p>
    </div>
    <p class="audit-origin">
      {entry.credential === '' ? null : <span>{entry.credential}</span>}
      {entry.address === '' ? null : <span>{entry.address}</span>}
    </p>
  </li>
)

/** Entries below the days on which they happened. */
const Days = ({ entries }: { readonly entries: readonly AuditEntryRow[] }) => (
  <div class="stack">
    {[...Map.groupBy(entries, (entry) => dateText(unixOf(entry)))].map(([day, ofDay]) => (
      <section class="stack tight">
        <h2 class="audit-day">{day}</h2>
        <Box>
          <ul class="rows">
            {ofDay.map((entry) => (
              <Entry entry={entry} />
            ))}
          </ul>
        </Box>
      </section>
    ))}
  </div>
)

/** The audit log with its filter. */
export const AuditView = ({
  entries,
  hasMore,
  filter,
}: {
  readonly entries: readonly AuditEntryRow[]
  readonly hasMore: boolean
  readonly filter: AuditFilterShown
}) => (
  <>
    <PageHead title={all.audit} />
    <Form to="/admin/audit" method="get" class="fields-row" label={texts.filter}>
      <Field name="actor" label={texts.actor} value={filter.actor} isTerse />
      <Field name="action" label={texts.action} value={filter.action} isTerse placeholder="user.created" />
      <Select
        name="outcome"
        label={texts.outcome}
        value={filter.outcome ?? ''}
        choices={[
          { value: '', label: texts.any },
          { value: 'done', label: texts.done },
          { value: 'refused', label: texts.refused },
        ]}
      />
      <Submit kind="plain">{texts.filter}</Submit>
    </Form>
    {entries.length === 0 ? <Empty icon="log" title={texts.empty} /> : <Days entries={entries} />}
    {hasMore ? (
      <p class="pages">
        <ButtonLink to={withQuery('/admin/audit', { ...filter, before: entries.at(-1)?.id })}>{texts.older}</ButtonLink>
      </p>
    ) : null}
  </>
)

/** Folders of repositories that no row names, with the acts to adopt or delete each. */
export const UnadoptedView = ({
  names,
  total,
  shown,
  text,
}: {
  readonly names: readonly string[]
  readonly total: number
  readonly shown: Page
  readonly text: string
}) => {
  const { folder } = all
  return (
    <>
      <PageHead title={all.unadopted} />
      <SearchForm to="/admin/unadopted" label={folder.search} text={text} placeholder={folder.search} />
      {names.length === 0 ? (
        <Empty icon="check-circle" title={folder.empty} />
      ) : (
        <Box>
          <ul class="rows">
            {names.map((name) => (
              <li class="row">
                <span class="row-main mono">{name}</span>
                <div class="acts">
                  <ActButton to={`${pathOf('admin', 'unadopted', ...name.split('/'))}/adopt`} class="small">
                    {folder.adopt}
                  </ActButton>
                  <ActButton
                    to={`${pathOf('admin', 'unadopted', ...name.split('/'))}/delete`}
                    kind="danger"
                    class="small"
                    confirm={folder.confirm(name)}
                  >
                    {folder.delete}
                  </ActButton>
                </div>
              </li>
            ))}
          </ul>
        </Box>
      )}
      <Pages page={shown.number} isLast={shown.offset + names.length >= total} total={total} pageSize={shown.limit} />
    </>
  )
}
