import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Menu } from '../../ui/parts.tsx'
import { repositoryPath, type RepositoryNames } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'

/** The ways to add files to a folder of a branch. */
export const AddFile = ({
  repository,
  branch,
  path,
}: {
  readonly repository: RepositoryNames
  readonly branch: string
  readonly path: string
}) => {
  const { config } = usePage()
  const to = (page: string) => repositoryPath(repository, page, branch, path)
  if (!config.repositoryUpload.enabled) {
    return (
      <ButtonLink icon="plus" to={to('_new')} aria-label={texts.addFile}>
        <span class="wide-only">{texts.addFile}</span>
      </ButtonLink>
    )
  }
  return (
    <Menu
      align="end"
      title={texts.addFile}
      label={
        <>
          <Icon name="plus" />
          <span class="wide-only">{texts.addFile}</span>
        </>
      }
    >
      <ul>
        <li>
          <Link to={to('_new')}>{texts.newFileHere}</Link>
        </li>
        <li>
          <Link to={to('_upload')}>{texts.uploadHere}</Link>
        </li>
      </ul>
    </Menu>
  )
}
