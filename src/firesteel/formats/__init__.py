"""Formats: conversion of messages (bytes) to changes, and of changes to messages."""
