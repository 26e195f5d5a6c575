import type { Texts } from '../translation.ts'

/** Texts of the explore pages. */
export const exploreTexts: Texts['exploreTexts'] = {
  title: '探索',
  repositories: '仓库',
  code: '代码',
  users: '用户',
  organizations: '组织',
  tabs: '探索',
  description: (name) => `${name} 的仓库、用户和组织`,
  findPerson: '查找用户',
  findOrganization: '查找组织',
  search: '搜索',
  sort: '排序',
  peopleSorts: [
    ['alphabetically', 'A 到 Z'],
    ['newest', '最新'],
  ],
  noRepositories: '暂无仓库',
  noRepositoriesHint: '公开的仓库会显示在这里。',
  noRepositoriesGuest: '公开的仓库会显示在这里。登录后可查看你有权访问的仓库。',
  newRepository: '新建仓库',
  noPeople: '没有匹配的用户',
  noPeopleHint: '可按名称、全名或地址搜索。',
  noOrganizations: '没有匹配的组织',
  noOrganizationsHint: '组织共同拥有仓库，并通过团队授予访问权限。',
  newOrganization: '新建组织',
}
