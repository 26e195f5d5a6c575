import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Box, Markup } from '../../ui/parts.tsx'
import { revisionPath, type RepositoryNames } from '../code-paths.ts'
import type { Readme } from './readme.ts'

/** The file that describes a folder. */
export const ReadmeBox = ({
  repository,
  revision,
  readme,
}: {
  readonly repository: RepositoryNames
  readonly revision: NamedCommit
  readonly readme: Readme
}) => (
  <Box
    id="readme"
    head={
      <h2 class="line">
        <Icon name="book" />
        <Link class="quiet-link" to={revisionPath(repository, 'src', revision, readme.path)}>
          {readme.name}
        </Link>
      </h2>
    }
  >
    <div class="readme-body">
      {'html' in readme.content ? (
        <Markup html={readme.content.html} />
      ) : (
        <pre class="plain-text">{readme.content.text}</pre>
      )}
    </div>
  </Box>
)
