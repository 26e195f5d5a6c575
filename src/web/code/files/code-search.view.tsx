import type { CodeQuery } from '../../../code/search/code-search.rules.ts'
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
  typed,
  sought,
  found,
}: {
  readonly repository: RepositoryNames
  readonly branch: string
  /** The text with its qualifiers. */
  readonly typed: string
  readonly sought: CodeQuery
  readonly found: FoundCode | undefined
}) => (
  <div class="stack">
    <h1>{texts.title}</h1>
    <CodeSearchForm to={pathOf(repository.owner.name, repository.repo.name, 'search')} text={typed} />
    {found === undefined ? (
      <div class="stack muted">
        <p>{texts.hint(branch)}</p>
        <p>{texts.qualifiers(<code>path:docs</code>, <code>lang:typescript</code>, <code>case:yes</code>)}</p>
        <p>{texts.expressions(<code>{String.raw`/get\w+\(/`}</code>)}</p>
      </div>
    ) : found.fault !== undefined ? (
      <Empty icon="search" title={texts.unsearched}>
        <p>{found.fault === 'unspecific' ? texts.unspecific : texts.fault(found.fault)}</p>
      </Empty>
    ) : found.files.length === 0 ? (
      <Empty icon="search" title={texts.none(sought.text)}>
        <p>{found.isBounded ? texts.bounded : texts.hint(branch)}</p>
      </Empty>
    ) : (
      <>
        <p class="muted small">
          {texts.found(found.files.length)} {found.isBounded ? texts.bounded : ''}
        </p>
        <FoundFiles
          repository={repository}
          branch={branch}
          found={found}
          text={sought.isExpression ? '' : sought.text}
          matchesCase={sought.matchesCase}
        />
      </>
    )}
  </div>
)
