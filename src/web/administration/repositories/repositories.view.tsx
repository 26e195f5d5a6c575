import type { BrowsedRepos, RepoBrowsing } from '../../../repos/lists/browse.service.ts'
import { RepositoryTags } from '../../lists/repository-row.tsx'
import { listTexts as lists } from '../../languages/texts.ts'
import { DeleteButton } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Box, Empty, PageHead, Pages } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { RepositoryPicture } from '../../ui/repository-picture.tsx'
import { sizeText } from '../../languages/amounts.ts'
import { Time } from '../../ui/time.tsx'
import { SearchForm } from '../search-form.tsx'
import { administrationTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = administrationTexts.repos

const choicesOf = (pairs: readonly (readonly [string, string])[]) => pairs.map(([value, label]) => ({ value, label }))

/** The repositories of the instance with their sizes. */
export const RepositoriesView = ({
  found,
  browsing,
}: {
  readonly found: BrowsedRepos
  readonly browsing: RepoBrowsing
}) => (
  <>
    <PageHead title={administrationTexts.repositories} lead={texts.total(found.total)} />
    <SearchForm to="/admin/repos" label={texts.search} text={browsing.text} placeholder={texts.search}>
      <Select
        name="kind"
        label={lists.kind}
        isLabelHidden
        value={browsing.kind ?? ''}
        choices={[...choicesOf(lists.kinds), { value: 'private', label: lists.privateKind }]}
        data-autosubmit=""
      />
      <Select
        name="sort"
        label={lists.sort}
        isLabelHidden
        value={browsing.sort}
        choices={choicesOf(lists.sorts)}
        data-autosubmit=""
      />
    </SearchForm>
    <RowBox
      rows={found.repos}
      links
      none={
        <Box>
          <Empty icon="repo" title={texts.none} />
        </Box>
      }
    >
      {(owned) => <Repository {...owned} />}
    </RowBox>
    <Pages
      page={found.page.number}
      isLast={found.page.offset + found.repos.length >= found.total && found.bound === undefined}
      total={found.total}
      pageSize={found.page.limit}
    />
  </>
)

const Repository = (owned: BrowsedRepos['repos'][number]) => {
  const { repo, owner } = owned
  const name = `${owner.name}/${repo.name}`
  return (
    <li class="row">
      <RepositoryPicture repo={owned.repo} size={16} class="row-icon" />
      <div class="row-main">
        <div class="line">
          <Link to={pathOf(owner.name, repo.name)} class="row-title" data-row-link="">
            {name}
          </Link>
          <RepositoryTags {...owned} />
        </div>
        <p class="row-facts">
          <strong>{sizeText(repo.git_size_bytes)}</strong>
          {repo.lfs_size_bytes === 0 ? null : <strong>{texts.lfs(sizeText(repo.lfs_size_bytes))}</strong>}
          <span>
            {texts.updated} <Time unix={repo.updated_unix} />
          </span>
        </p>
      </div>
      <div class="acts">
        {usePage().config.repository.enableFlags ? (
          <ButtonLink
            to={pathOf(owner.name, repo.name, 'flags')}
            class="small"
            aria-label={administrationTexts.flags.of(name)}
          >
            {administrationTexts.flags.title}
          </ButtonLink>
        ) : null}
        <ButtonLink to={pathOf(owner.name, repo.name, 'settings')} class="small" aria-label={texts.settingsOf(name)}>
          {texts.settings}
        </ButtonLink>
        <DeleteButton
          to={pathOf('admin', 'repos', owner.name, repo.name, 'delete')}

          confirm={texts.confirm(name)}
          label={texts.deleteOf(name)}
        >
          {texts.delete}
        </DeleteButton>
      </div>
    </li>
  )
}
