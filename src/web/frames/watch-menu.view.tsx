import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { watchLevels, type WatchLevel } from '../../repos/watch-level.ts'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { Menu } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { frameTexts } from '../languages/texts.ts'

const texts = frameTexts.watching

const icons: Readonly<Record<WatchLevel, IconName>> = {
  all: 'eye',
  releases: 'tag',
  participating: 'bell',
  nothing: 'bell-slash',
}

/**
 * A menu that says what the viewer hears of a repository, and changes it.
 * @param isListed it stands in the list of what the viewer watches, to which it leads back
 */
export const WatchMenu = ({
  repo,
  owner,
  level,
  isListed = false,
}: RepoWithOwner & { readonly level: WatchLevel; readonly isListed?: boolean }) => (
  <Menu
    class="watch-menu small"
    align="end"
    title={texts.title(`${owner.name}/${repo.name}`, texts.levels[level].name)}
    label={
      <>
        <Icon name={icons[level]} />
        {texts.levels[level].button}
        <Icon name="triangle-down" />
      </>
    }
  >
    <Form
      to={pathOf(owner.name, repo.name, 'subscription')}
      label={texts.menu}
      hidden={isListed ? { is_listed: 'true' } : {}}
    >
      <ul>
        {watchLevels.map((each) => (
          <li>
            <button type="submit" name="level" value={each} aria-pressed={each === level ? 'true' : 'false'}>
              <Icon name={icons[each]} />
              <span>
                <span class="watch-level">{texts.levels[each].name}</span>
                <span class="hint">{texts.levels[each].hint}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Form>
  </Menu>
)
