import type { FoundCode } from '../../../code/search/code-search.service.ts'
import { codeSearchTexts as texts } from '../../languages/texts.ts'
import { CodeSearchForm, FoundFiles } from '../../lists/found-code.tsx'
import { Empty } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import type { RepositoryNames } from '../code-paths.ts'

/** A search of the files of one repository. */
export const CodeSearchView = ({
  repository,
  branch,
  text,
  found,
}: {
  readonly repository: RepositoryNames
  readonly branch: string
  readonly text: string
  readonly found: FoundCode | undefined
}) => (
  <div class="stack">
    <h1>{texts.title}</h1>
    <CodeSearchForm to={pathOf(repository.owner.name, repository.repo.name, 'search')} text={text} />
    {found === undefined ? (
      <p class="muted">{texts.hint(branch)}</p>
    ) : found.files.length === 0 ? (
      <Empty icon="search" title={texts.none(text)}>
        <p>{found.isBounded ? texts.bounded : texts.hint(branch)}</p>
      </Empty>
    ) : (
      <>
        <p class="muted small">
          {texts.found(found.files.length)} {found.isBounded ? texts.bounded : ''}
        </p>
        <FoundFiles repository={repository} branch={branch} found={found} text={text} />
      </>
    )}
  </div>
)
