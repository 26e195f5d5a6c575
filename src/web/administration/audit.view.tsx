import type { AuditEntryRow } from '../../db/tables/audit.ts'
import type { Page } from '../../lib/paging.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Box, Empty, PageHead, Pages, Tag } from '../ui/parts.tsx'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Time } from '../ui/time.tsx'
import { SearchForm } from './search-form.tsx'
import { texts as all } from './texts.tsx'

const texts = all.log

interface AuditFilterShown {
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly outcome: string | undefined
}

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
    {entries.length === 0 ? (
      <Empty icon="log" title={texts.empty} />
    ) : (
      <Box>
        <ul class="rows">
          {entries.map((entry) => (
            <li class="row">
              <div class="row-main">
                <div class="line">
                  {entry.actor_id === null ? (
                    <span class="muted">{texts.nobody}</span>
                  ) : (
                    <Link to={pathOf('admin', 'users', entry.actor_name)} class="row-title">
                      {entry.actor_name}
                    </Link>
                  )}
                  <code>{entry.action}</code>
                  <span>
                    {entry.object_kind} {entry.object_name}
                  </span>
                  {entry.outcome === 'refused' ? <Tag tone="danger">{texts.refused}</Tag> : null}
                </div>
                <p class="row-facts">
                  <span>{entry.credential}</span>
                  <span>{entry.address}</span>
                  {entry.details === '{}' ? null : <span class="mono">{entry.details.slice(0, 300)}</span>}
                </p>
              </div>
              <div class="row-side">
                <Time unix={Math.floor(entry.at_ms / 1000)} />
              </div>
            </li>
          ))}
        </ul>
      </Box>
    )}
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
