import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { ButtonLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { siteHref } from '../../ui/paths.ts'
import { revisionPath, type RepositoryNames, type RevisionPage } from '../code-paths.ts'

/** The dialog that finds a file of a revision while its name is typed. */
const Finder = ({ list, openIn }: { readonly list: string; readonly openIn: string }) => {
  const { finder } = texts
  const { config } = usePage()
  const messages = {
    'data-loading': finder.loading,
    'data-failed': finder.failed,
    'data-none': texts.noFileFound,
    'data-cut': finder.cut,
  }
  return (
    <dialog
      id="finder"
      class="palette"
      aria-label={texts.findFile}
      data-url={siteHref(config, list)}
      data-open-in={siteHref(config, openIn)}
    >
      <input
        type="search"
        aria-label={texts.fileName}
        placeholder={finder.hint}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxlength={200}
      />
      <div id="finder-list" role="listbox" aria-label={texts.filesOf('')} />
      <p role="status" {...messages} />
    </dialog>
  )
}

/**
 * The link that finds a file of a revision: opens a dialog, and leads to a page in browsers without scripts.
 * @param page in which the file is opened
 */
export const FindLink = ({
  repository,
  revision,
  page = 'src',
  class: more,
}: {
  readonly repository: RepositoryNames
  readonly revision: Pick<NamedCommit, 'kind' | 'name'>
  readonly page?: Extract<RevisionPage, 'src' | 'blame' | 'commits'>
  readonly class?: string
}) => (
  <>
    <ButtonLink
      icon="search"
      to={revisionPath(repository, 'find', revision)}
      class={more}
      data-hotkey="t"
      data-opens="finder"
      aria-label={texts.findFile}
      title={texts.findFileHint}
    >
      <span class="wide-only">{texts.findFile}</span>
    </ButtonLink>
    <Finder list={revisionPath(repository, 'find-list', revision)} openIn={revisionPath(repository, page, revision)} />
  </>
)
