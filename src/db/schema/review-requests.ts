/**
 * A statement of triggers: requests for reviews of a pull request repeat its place, and know whether they wait. A later
 * verdict of the person answers a request. The sum keeps SQLite from all reviews of the person, of which there are more than
 * of the pull request.
 */
export const settleRequests = (issueId: string): string => `
      update review set
        (repo_id, is_of_closed, pull_created_unix) =
          (select repo_id, is_closed, created_unix from issue where id = review.issue_id),
        is_waiting = type = 'request' and (reviewer_id is null or (
          reviewer_id <> (select poster_id from issue where id = review.issue_id)
          and not exists (select 1 from review as verdict where verdict.issue_id = review.issue_id
            and +verdict.reviewer_id = review.reviewer_id and verdict.type in ('approve', 'reject')
            and verdict.id > review.id)))
      where issue_id = ${issueId} and type = 'request';`
