"""From a commit to the pull request that brought it: one module a forge, this dict their only list.

Offline words first (landing, refs), the forge's API last (online); `lookup` is the way in.
"""

from __future__ import annotations

from bisector.forges.azure import Azure
from bisector.forges.bitbucket import Bitbucket
from bisector.forges.bitbucket_server import BitbucketServer
from bisector.forges.forge import Forge, ForgeName
from bisector.forges.gerrit import Gerrit
from bisector.forges.gitea import Gitea
from bisector.forges.github import GitHub
from bisector.forges.gitlab import GitLab
from bisector.forges.phabricator import Phabricator
from bisector.forges.plain import Plain

# In the order in which they are asked whether an address or a message is theirs: the narrower claim first.
FORGES: dict[ForgeName, Forge] = {
    ForgeName.AZURE: Azure(),
    ForgeName.BITBUCKET: Bitbucket(),
    ForgeName.BITBUCKET_SERVER: BitbucketServer(),
    ForgeName.GITHUB: GitHub(),
    ForgeName.GITLAB: GitLab(),
    ForgeName.GITEA: Gitea(),
    ForgeName.GERRIT: Gerrit(),
    ForgeName.PHABRICATOR: Phabricator(),
    ForgeName.PLAIN: Plain(),
}
