import { RunnerSection } from '../../shared/runners/runners.view.tsx'
import { ValueSections } from '../../shared/secrets/secrets.view.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'

/** The secrets and variables of a repository. */
export const RepositoryValuesView = (props: Parameters<typeof ValueSections>[0]) => (
  <>
    <PageHead title={texts.parts.secrets} />
    <ValueSections {...props} />
  </>
)

/** The runners of a repository. */
export const RepositoryRunnersView = (props: Parameters<typeof RunnerSection>[0]) => (
  <>
    <PageHead title={texts.parts.runners} />
    <RunnerSection {...props} />
  </>
)
