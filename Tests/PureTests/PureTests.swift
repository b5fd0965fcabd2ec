// PureTests
