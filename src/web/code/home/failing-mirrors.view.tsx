import type { FailingMirror } from '../../../repos/mirrors/failing-mirror.service.ts'
import { codeTexts } from '../../languages/texts.ts'
import { sentenceOf } from '../../shell/sentence.ts'
import { ActButton } from '../../ui/button.tsx'
import { Flash } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { repositoryPath, type RepositoryNames } from '../code-paths.ts'

const texts = codeTexts.failingMirror

/** Mirrors whose last synchronization failed, with the acts that try again. */
export const FailingMirrors = ({
  repository,
  mirrors,
}: {
  readonly repository: RepositoryNames
  readonly mirrors: readonly FailingMirror[]
}) => (
  <>
    <Failures
      mirrors={mirrors.filter(({ target }) => target === undefined)}
      retry={repositoryPath(repository, 'settings/mirror/sync')}
    />
    <Failures
      mirrors={mirrors.filter(({ target }) => target !== undefined)}
      retry={repositoryPath(repository, 'settings/mirrors/sync')}
    />
  </>
)

const Failures = ({ mirrors, retry }: { readonly mirrors: readonly FailingMirror[]; readonly retry: string }) =>
  mirrors.length === 0 ? null : (
    <Flash tone="warning">
      <div class="stack tight">
        {mirrors.map((mirror) => (
          <Failure {...mirror} />
        ))}
        {mirrors.some(({ mayRetry }) => mayRetry) ? (
          <ActButton to={retry} hidden={{ from: 'home' }} class="small" icon="sync">
            {texts.retry}
          </ActButton>
        ) : null}
      </div>
    </Flash>
  )

const Failure = ({ target, syncedUnix, reason }: FailingMirror) => {
  const succeeded = syncedUnix === 0 ? undefined : <Time unix={syncedUnix} />
  return (
    <div>
      <p>{target === undefined ? texts.followed(succeeded) : texts.pushed(target, succeeded)}</p>
      {reason === undefined ? null : <p>{sentenceOf(reason)}</p>}
    </div>
  )
}
