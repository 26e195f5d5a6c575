import type { BrowsedRepos, RepoBrowsing } from '../../repos/lists/browse.service.ts'
import { Submit } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty, Pages } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { changedQuery } from '../ui/paths.ts'
import { RepositoryRow } from './repository-row.tsx'
import { listTexts as texts } from '../languages/texts.ts'

export interface RepositoryListProps {
  readonly found: BrowsedRepos
  readonly browsing: RepoBrowsing
  /** Path of the page. */
  readonly to: string
  /** The tab of the page, sent with its filters. */
  readonly tab?: string | undefined
  readonly withOwner?: boolean
  /** Private repositories are a kind of their own. */
  readonly withPrivate?: boolean
  readonly defaultSort: string
  /** Content of an empty list without a filter. */
  readonly empty: preact.ComponentChild
}

const choicesOf = (pairs: readonly (readonly [string, string])[]) => pairs.map(([value, label]) => ({ value, label }))

/** Repositories with search, kind, language and order. */
export function RepositoryList({
  found,
  browsing,
  to,
  tab,
  withOwner = true,
  withPrivate = false,
  defaultSort,
  empty,
}: RepositoryListProps) {
  const { url, config } = usePage()
  const { disableStars, disableForks } = config.repository
  const sorts = texts.sorts.filter(([name]) =>
    name === 'moststars' ? !disableStars : name === 'mostforks' ? !disableForks : true,
  )
  const isFiltered = [browsing.text, browsing.language, browsing.kind].some(
    (value) => value !== undefined && value !== '',
  )
  if (!isFiltered && found.repos.length === 0 && found.page.number === 1) return <>{empty}</>
  const languages = [
    ...new Set([browsing.language ?? '', ...found.repos.map(({ repo }) => repo.primary_language)]),
  ].filter((each) => each !== '')
  return (
    <div class="stack">
      <Form to={to} method="get" class="filters" role="search" hidden={{ tab }} label={texts.searchRepositories}>
        <Field
          type="search"
          name="q"
          label={texts.searchRepositories}
          isLabelHidden
          isTerse
          placeholder={texts.searchRepositories}
          value={browsing.text}
        />
        <Select
          name="language"
          label={texts.language}
          isLabelHidden
          value={browsing.language ?? ''}
          choices={[
            { value: '', label: texts.anyLanguage },
            ...languages.toSorted().map((value) => ({ value, label: value })),
          ]}
          data-autosubmit=""
        />
        <Select
          name="kind"
          label={texts.kind}
          isLabelHidden
          value={browsing.kind ?? ''}
          choices={[
            ...choicesOf(texts.kinds),
            ...(withPrivate ? [{ value: 'private', label: texts.privateKind }] : []),
          ]}
          data-autosubmit=""
        />
        <Select
          name="sort"
          label={texts.sort}
          isLabelHidden
          value={browsing.sort || defaultSort}
          choices={choicesOf(sorts)}
          data-autosubmit=""
        />
        <Submit kind="plain">{texts.search}</Submit>
      </Form>
      <RowBox
        rows={found.repos}
        links
        none={
          <Empty icon="search" title={texts.noneFound}>
            <p>{texts.noneFoundHint}</p>
            <ButtonLink to={changedQuery(url, { q: undefined, language: undefined, kind: undefined })}>
              {texts.clear}
            </ButtonLink>
          </Empty>
        }
      >
        {(each) => <RepositoryRow {...each} withOwner={withOwner} />}
      </RowBox>
      <Pages
        page={found.page.number}
        isLast={found.page.offset + found.repos.length >= found.total && found.bound === undefined}
        total={found.total}
        pageSize={found.page.limit}
      />
    </div>
  )
}
