"""Programs made for a release: from an artifact's, as another format or release has them."""
