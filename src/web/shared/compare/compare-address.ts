import { comparedSideText } from '../../../code/commits/compared-side.rules.ts'
import type { NetworkRepo } from '../../../repos/lists/fork-network.service.ts'
import { pathOf, withQuery } from '../../ui/paths.ts'

/** A revision of a repository. */
export type SideNames = NetworkRepo & { readonly name: string }

/** Returns the path of a comparison, which is a page of the repository of the base. */
export const comparePath = (
  base: SideNames,
  head: SideNames,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string =>
  withQuery(pathOf(base.owner.name, base.repo.name, 'compare', `${base.name}...${comparedSideText(base, head)}`), query)
